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
  count += 2;
  for (let time = 0; time < 2; time++) await admin(['orders', 'import', '-'], [`{"id":${id}}\n`]);
  await run('orders', 'export');
  for (const verb of ['show', 'cancel', 'reopen', 'ship']) await run('orders', verb, id);
  await run('orders', 'check');
  await run('orders', 'delete', id, '--yes');
  await run('owners', 'delete', owner, '--yes');
  return count;
}
