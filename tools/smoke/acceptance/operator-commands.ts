/** Every command. After `<` follows the command's standard input. */
const commands = `
owners create everything --plan free
owners suspend everything --yes
owners show everything
owners resume everything
owners reset-usage everything
owners list
owners usage
owners history everything
owners set-plan everything pro
owners repair
keys issue --owner everything --json
keys list
keys show KEY_ID
keys expire KEY_ID 1h --yes
keys unban KEY_ID
keys rotate KEY_ID
keys revoke KEY_ID --yes
orders import - < {"id":ORDER_ID}
orders show ORDER_ID
orders cancel ORDER_ID --as everything
orders reopen --cancelled-by everything --since 1h --yes
orders cancel ORDER_ID
orders reopen ORDER_ID
orders ship ORDER_ID
owners rename everything all
owners delete all --yes`;

/** Runs every operator's command, on an owner and an order that the commands create. */
export async function runEveryCommand(
  admin: (words: readonly string[], input?: string) => Promise<string>,
): Promise<void> {
  let keyId = '';
  const orderId = `${-Date.now()}`;
  for (const line of commands.trim().split('\n')) {
    const filled = line.replace('KEY_ID', keyId).replace('ORDER_ID', orderId);
    const [words = '', input] = filled.split(' < ');
    const output = await admin(words.split(' '), input);
    if (words.startsWith('keys issue')) ({ keyId } = JSON.parse(output));
  }
}
