/** Runs an operator's command. @returns what it prints */
type RunCommand = (words: readonly string[], input?: Iterable<string>) => Promise<string>;

/**
 * Runs every operator's command once or more, on owners and orders of its own, which it removes as far as a
 * command can. `admin tables` is left out: it takes an administrator.
 *
 * @returns the number of commands
 */
export async function runEveryCommand(admin: RunCommand): Promise<number> {
  let count = 0;
  const run = (...words: string[]) => {
    count++;
    return admin(words);
  };
  const [owner, id] = ['every command', '-1'];
  await run('owners', 'create', owner, '--plan', 'free');
  await run('owners', 'suspend', owner, '--yes');
  for (const verb of ['show', 'resume', 'reset-usage']) await run('owners', verb, owner);
  for (const words of [
    ['owners', 'list'],
    ['owners', 'usage'],
    ['owners', 'history', owner],
    ['status'],
  ])
    await run(...words);
  await run('owners', 'set-plan', owner, 'pro');
  await run('owners', 'apply-plans', '--yes');
  await run('owners', 'rename', owner, `${owner} again`);
  await run('owners', 'rename', `${owner} again`, owner);
  const { keyId } = JSON.parse(await run('keys', 'issue', '--owner', owner, '--json'));
  await run('keys', 'list');
  await run('keys', 'whois', keyId);
  await run('keys', 'expire', keyId, '--in', '1h', '--yes');
  for (const verb of ['show', 'unban', 'rotate']) await run('keys', verb, keyId);
  await run('keys', 'revoke', keyId, '--yes');
  await run('keys', 'purge', '--older-than', '0s', '--yes');
  // A second import reads the order, and one with so many attributes is not inserted by a statement.
  const names = Array.from({ length: 600 }, (_, index) => [`attribute${index}`, { S: '' }]);
  const large = JSON.stringify({ id: -2, attributes: Object.fromEntries(names) });
  for (const line of [`{"id":${id}}`, `{"id":${id}}`, large]) {
    count++;
    await admin(['orders', 'import', '-'], [line]);
  }
  await run('orders', 'export');
  for (const verb of ['show', 'cancel', 'reopen', 'ship']) await run('orders', verb, id);
  await run('orders', 'check');
  for (const each of [id, '-2']) await run('orders', 'delete', each, '--yes');
  await run('owners', 'delete', owner, '--yes');
  return count;
}
