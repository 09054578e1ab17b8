import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import type { OutputName } from '../lib/settings/names.ts';
import { stageNames } from '../lib/settings/stages.ts';
import { differences } from './helpers/differences.ts';
import { variablesReadFor } from './helpers/read-variables.ts';
import { temporaryDirectoryOfFile } from './helpers/temporary-directory.ts';

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
}

interface Job {
  readonly uses?: string;
  readonly if?: string;
  readonly needs?: string | string[];
  readonly permissions?: Readonly<Record<string, string>>;
  readonly outputs?: Readonly<Record<string, string>>;
  readonly with?: Readonly<Record<string, unknown>>;
  readonly steps?: readonly Step[];
}

interface Workflow {
  readonly permissions: Readonly<Record<string, string>>;
  readonly jobs: Readonly<Record<string, Job>>;
}

const folder = '.github/workflows';
const files = readdirSync(folder);
const texts = Object.fromEntries(
  files.map((file) => [file, readFileSync(join(folder, file), 'utf8')]),
);
const workflows: Record<string, Workflow> = Object.fromEntries(
  files.map((file) => [file, parse(texts[file]!)]),
);
const jobs = Object.entries(workflows).flatMap(([file, workflow]) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({ title: `${file}, ${name}`, name, job })),
);
const stepsOf = ({ steps = [] }: Job) => steps;
const scriptsOf = (job: Job) => stepsOf(job).map(({ run = '' }) => run);
const canSignIn = ({ permissions }: Job) => permissions?.['id-token'] === 'write';
const deploy = workflows['deploy.yml']!;

const directory = temporaryDirectoryOfFile();

describe('every workflow', () => {
  it.each(files)('%s pins each action to a commit, and names its version', (file) => {
    const foreign = texts[file]!.match(/^.*\buses: (?!\.\/).*$/gm) ?? [];

    for (const line of foreign) {
      expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

  it('has one version of each action', () => {
    const all = Object.values(texts).flatMap((text) => text.match(/[\w-]+\/[\w-]+@.*$/gm) ?? []);
    const versions = Map.groupBy(new Set(all), (reference) => reference.split('@')[0]!);

    expect([...versions.values()].filter(({ length }) => length > 1)).toEqual([]);
  });

  it.each(files)('%s gives its jobs no permission to sign in to AWS by default', (file) => {
    expect(workflows[file]!.permissions).toBeDefined();
    expect(workflows[file]!.permissions['id-token']).toBeUndefined();
  });

  it.each(jobs)(
    '$title: keeps what others can choose out of the text of its scripts',
    ({ job }) => {
      expect(scriptsOf(job).filter((script) => script.includes('${{'))).toEqual([]);
    },
  );
});

describe('a job that can sign in to AWS', () => {
  const able = jobs.filter(({ job }) => canSignIn(job) && !job.uses);

  it('is the one that deploys, and no other', () => {
    const deploying = jobs.filter(({ job }) => scriptsOf(job).join().includes('cdk deploy'));

    expect(able.map(({ title }) => title)).toEqual(deploying.map(({ title }) => title));
    expect(able).not.toEqual([]);
  });

  it.each(able)('$title: installs packages without running their scripts', ({ job }) => {
    const installs =
      scriptsOf(job)
        .join('\n')
        .match(/npm (ci|i|install|exec)\b.*/g) ?? [];

    expect(installs).not.toEqual([]);
    for (const install of installs) expect(install).toContain('--ignore-scripts');
  });

  it.each(able)('$title: takes what it deploys from a job that cannot', ({ job }) => {
    const [download] = stepsOf(job).filter(({ uses }) =>
      uses?.startsWith('actions/download-artifact@'),
    );
    const makers = jobs.filter((each) =>
      stepsOf(each.job).some(
        (step) =>
          step.uses?.startsWith('actions/upload-artifact@') &&
          step.with?.name === download?.with?.name,
      ),
    );

    expect(makers).toHaveLength(1);
    expect(canSignIn(makers[0]!.job)).toBe(false);
    const commands =
      scriptsOf(job)
        .join('\n')
        .match(/cdk (deploy|synth|diff).*/g) ?? [];
    for (const command of commands) expect(command).toContain(`--app ${download?.with?.path} `);
  });
});

describe('the synthesis for a deployment', () => {
  const [synthesis] = stepsOf(deploy.jobs.build!).filter(({ run }) => run?.includes('cdk synth'));

  it('is given every variable that the stages are read from, and no other', () => {
    const read = stageNames.flatMap(variablesReadFor);

    expect(
      differences(
        ['lib/settings/stages.ts', read],
        ['.github/workflows/deploy.yml, build', Object.keys(synthesis?.env ?? {})],
      ),
    ).toEqual([]);
  });

  it('is followed by a deployment of every stage, and of no other', () => {
    const deployed = Object.values(deploy.jobs).flatMap(({ with: inputs }) => inputs?.stage ?? []);

    expect(
      differences(
        ['lib/settings/stages.ts', stageNames],
        ['.github/workflows/deploy.yml, jobs', deployed as string[]],
      ),
    ).toEqual([]);
  });
});

describe('what is deployed', () => {
  const [check] = stepsOf(deploy.jobs.commit!);
  const commit = 'a'.repeat(40);

  /** Runs the check with answers of GitHub's API. @returns the exit code, and what it has put out */
  function checked(answers: { position?: string; passed?: number }, given = commit) {
    const { position = 'identical', passed = 1 } = answers;
    const gh = `case $2 in */compare/${commit}...main) echo ${position};; *head_sha=${commit}) echo ${passed};; *) exit 9;; esac`;
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
    'is never named otherwise than by its whole id: %j',
    (given) => {
      expect(checked({}, given)).toMatchObject({ exitCode: 1, GITHUB_OUTPUT: '' });
    },
  );

  it('is that commit for every job, however the deployment was started', () => {
    const expected = '${{ needs.commit.outputs.id }}';
    const { commit: first, ...others } = deploy.jobs;

    expect(first?.if).toMatch(/^github\.ref == 'refs\/heads\/main' && /);
    for (const job of Object.values(others)) {
      const checkouts = stepsOf(job).filter(({ uses }) => uses?.startsWith('actions/checkout@'));
      const commits = job.uses ? [job.with?.commit] : checkouts.map((step) => step.with?.ref);
      expect(commits).toEqual([expected]);
      expect([job.needs].flat()).toContain('commit');
    }
    const [checkout] = stepsOf(workflows['deploy-stage.yml']!.jobs.deploy!);
    expect(checkout?.with?.ref).toBe('${{ inputs.commit }}');
  });
});

describe("the smoke test's key", () => {
  const key = `so_test_${'0123456789'.repeat(4)}3Xfj2N`;
  const smoke = stepsOf(workflows['deploy-stage.yml']!.jobs.deploy!).find(
    ({ name }) => name === 'Smoke test',
  )!;
  const issued = JSON.stringify({ keyId: 'key_one', apiKey: key });
  const baseUrl = 'https://api.example.com/v1';

  it('is handed on through a pipe, and is no word of a command', () => {
    const outputs: Partial<Record<OutputName, string>> = { BaseUrl: baseUrl };
    directory.write('outputs.json', JSON.stringify({ 'StoreOrders-staging': outputs }));
    const npm = `echo "$*" >> commands; case "$*" in *'keys issue'*) echo '${issued}';; *) cat > received;; esac`;

    const { exitCode, printed, GITHUB_ENV } = runStep(smoke, { npm }, { STAGE: 'staging' });

    expect(exitCode).toBe(0);
    expect(readFileSync(join(directory.path, 'received'), 'utf8')).toBe(`${key}\n`);
    const commands = readFileSync(join(directory.path, 'commands'), 'utf8');
    expect(commands).toContain(`smoke -- --url ${baseUrl}\n`);
    expect(commands).not.toContain(key);
    expect(GITHUB_ENV).toBe('SMOKE_KEY_ID=key_one\n');
    expect(printed).toBe(`::add-mask::${key}\n`);
  });
});

/** Runs a step's script as a runner does, with commands that are made up. */
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
