import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { type OutputName, stackName } from '../lib/settings/names.ts';
import { temporaryDirectoryOfFile } from './helpers/temporary-directory.ts';
import { type Step, stepsOf, workflows } from './workflows.ts';

const directory = temporaryDirectoryOfFile();

describe('what is deployed', () => {
  const [check] = stepsOf(workflows['deploy.yml']!.jobs.commit!);
  const commit = 'a'.repeat(40);

  /** Runs the check with responses of GitHub's API. @returns the exit code and the output */
  function checked(answers: { position?: string; passed?: number }, given = commit) {
    const { position = 'identical', passed = 1 } = answers;
    const gh = `case $2 in */compare/${commit}...main) echo ${position};; *'/pull-request.yml/runs?branch=main&event=push&status=success&head_sha=${commit}') echo ${passed};; *) exit 9;; esac`;
    return runStep(check!, { gh }, { COMMIT: given, GITHUB_REPOSITORY: 'owner/name' });
  }

  it.each([
    ['the newest of main', {}],
    ['an earlier one of main', { position: 'ahead' }],
  ])('can be %s, whose checks have passed', (_, answers) => {
    expect(checked(answers)).toMatchObject({ exitCode: 0, GITHUB_OUTPUT: `id=${commit}\n` });
  });

  it.each([
    ['is on another branch', { position: 'diverged' }],
    ['is newer than main', { position: 'behind' }],
    ['has not passed its checks', { passed: 0 }],
  ])('is never a commit that %s', (_, answers) => {
    expect(checked(answers)).toMatchObject({ exitCode: 1, GITHUB_OUTPUT: '' });
  });

  it.each(['main', 'a'.repeat(39), `${commit}&status=failure`, `${commit}\nmain`])(
    'has to be named by its full commit id: %j',
    (given) => {
      expect(checked({}, given)).toMatchObject({ exitCode: 1, GITHUB_OUTPUT: '' });
    },
  );
});

describe("the smoke test's key", () => {
  const key = `so_test_${'0123456789'.repeat(4)}3Xfj2N`;
  const smoke = stepsOf(workflows['deploy-stage.yml']!.jobs.deploy!).find(
    ({ name }) => name === 'Smoke test',
  )!;
  const issued = JSON.stringify({ keyId: 'key_one', apiKey: key });
  const baseUrl = 'https://api.example.com/v1';

  it('is passed through a pipe, and is never an argument of a command', () => {
    const outputs: Partial<Record<OutputName, string>> = { BaseUrl: baseUrl };
    directory.write('outputs.json', JSON.stringify({ [stackName('staging')]: outputs }));
    const recorded = `echo "$*" >> commands; case "$*" in *'keys issue'*) echo '${issued}';; *) cat > received;; esac`;

    const { exitCode, printed, GITHUB_ENV } = runStep(
      smoke,
      { admin: recorded, npm: recorded },
      { STAGE: 'staging', STACK: stackName('staging') },
    );

    expect(exitCode).toBe(0);
    expect(readFileSync(join(directory.path, 'received'), 'utf8')).toBe(`${key}\n`);
    const commands = readFileSync(join(directory.path, 'commands'), 'utf8');
    expect(commands).toContain(`smoke -- --url ${baseUrl} --limits\n`);
    expect(commands).not.toContain(key);
    // The key expires, because nobody revokes it if the run is lost.
    expect(commands).toContain(' --expires-in 1h\n');
    expect(GITHUB_ENV).toBe('SMOKE_KEY_ID=key_one\n');
    expect(printed).toBe(`::add-mask::${key}\n`);
  });
});

/** Runs a step's script as a runner does, with replaced commands. */
function runStep(
  { run }: Step,
  commands: Record<string, string>,
  variables: Record<string, string>,
) {
  for (const [name, script] of Object.entries(commands)) {
    chmodSync(directory.write(name, `#!/usr/bin/env bash\n${script}\n`), 0o755);
  }
  const outputs = Object.fromEntries(
    ['GITHUB_ENV', 'GITHUB_OUTPUT'].map((name) => [name, directory.write(name, '')]),
  );
  const { status, stdout } = spawnSync('bash', ['-e', '-o', 'pipefail', '-c', run!], {
    cwd: directory.path,
    env: {
      PATH: [directory.path, dirname(process.execPath), process.env.PATH].join(':'),
      ...outputs,
      ...variables,
    },
    encoding: 'utf8',
  });
  const written = Object.entries(outputs).map(([name, file]) => [name, readFileSync(file, 'utf8')]);
  return { exitCode: status, printed: stdout, ...Object.fromEntries(written) };
}
