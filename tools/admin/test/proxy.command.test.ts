import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { keyPrefix } from '../../../test/helpers/dynamodb/key-items.ts';
import { listen } from '../../../test/helpers/loopback-server.ts';
import { temporaryDirectoryOfFile } from '../../../test/helpers/temporary-directory.ts';

const home = temporaryDirectoryOfFile();
const sso = { AWS_PROFILE: 'sso' };
const credentials = { AWS_ACCESS_KEY_ID: 'a', AWS_SECRET_ACCESS_KEY: 'b' };
const key = { ORDERS_KEY: `${keyPrefix}${'0'.repeat(46)}` };
const smoke = ['tools/smoke/main.ts', '--url', 'https://store.example/v1'];
const list = ['owners', 'list', '--stage', 'prod'];

it.each([
  ["admin's calls", './admin', list, credentials, 3, 'sts.eu-central-1.amazonaws.com'],
  ["admin's credentials", './admin', list, sso, 3, 'portal.sso.us-east-1.amazonaws.com'],
  ['the smoke test', process.execPath, smoke, key, 1, 'store.example'],
])('%s use the proxy of the environment', async (_, file, words, credentialsOf, exitCode, host) => {
  const cached = createHash('sha1').update('acme').digest('hex');
  const token = { accessToken: 'token', expiresAt: '2099-01-01T00:00:00Z' };
  mkdirSync(join(home.path, '.aws/sso/cache'), { recursive: true });
  home.write(`.aws/sso/cache/${cached}.json`, JSON.stringify(token));
  home.write(
    '.aws/config',
    `[profile sso]
sso_session = acme
sso_account_id = 111122223333
sso_role_name = Operator
[sso-session acme]
sso_region = us-east-1
sso_start_url = https://acme.awsapps.com/start
`,
  );
  const hosts = new Set<string | undefined>();
  const refusing = createServer().on('connect', ({ url }, socket) => {
    hosts.add(url);
    socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
  });
  await using proxy = await listen(refusing);
  const { PATH } = process.env;
  const env = { PATH, HOME: home.path, HTTPS_PROXY: proxy.url, AWS_REGION: 'eu-central-1' };

  const options = { env: { ...env, ...credentialsOf } };
  const ended = promisify(execFile)(file, words, options);

  await expect(ended).rejects.toMatchObject({ code: exitCode });
  expect([...hosts]).toEqual([`${host}:443`]);
});
