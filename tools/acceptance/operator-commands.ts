/** Every command but `./admin tables`, which takes an administrator. After `<` follows a line of the input. */
const commands = `
owners create everything --plan free
owners suspend everything --yes
owners show everything
owners resume everything
owners reset-usage everything
owners list
owners usage
owners history everything
status
owners set-plan everything pro
owners apply-plans --yes
owners rename everything all
owners rename all everything
keys issue --owner everything --json
keys list
keys whois KEY_ID
keys expire KEY_ID --in 1h --yes
keys show KEY_ID
keys unban KEY_ID
keys rotate KEY_ID
keys revoke KEY_ID --yes
keys purge --older-than 0s --yes
orders import - < {"id":-1}
orders import - < {"id":-1}
orders export
orders show -1
orders cancel -1
orders reopen -1
orders ship -1
orders check
orders delete -1 --yes
owners delete everything --yes`;

/** Runs every operator's command, on an owner and an order of its own. @returns the number of commands */
export async function runEveryCommand(
  admin: (words: readonly string[], input: Iterable<string>) => Promise<string>,
): Promise<number> {
  const lines = commands.trim().split('\n');
  let keyId = '';
  for (const line of lines) {
    const [words = '', ...input] = line.replace('KEY_ID', keyId).split(' < ');
    const output = await admin(words.split(' '), input);
    if (words.startsWith('keys issue')) ({ keyId } = JSON.parse(output));
  }
  return lines.length;
}
