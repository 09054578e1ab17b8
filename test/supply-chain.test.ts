import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { stageNames } from '../lib/settings/stages.ts';
import { expectAgreement } from './helpers/agreement.ts';

/* The rules that keep foreign code out of deployments: what npm installs, and what the workflows may do. */

// biome-ignore lint/suspicious/noExplicitAny: GitHub's own shapes
type Yaml = any;

const folder = '.github/workflows';
const workflows: [file: string, workflow: Yaml][] = readdirSync(folder).map((file) => {
  const text = readFileSync(join(folder, file), 'utf8');
  return [file, { ...parse(text), text }];
});
const jobs = workflows.flatMap(([file, workflow]) =>
  Object.entries<Yaml>(workflow.jobs).map(([name, job]) => [`${file}, ${name}`, job] as const),
);
const stepsOf = ({ steps = [] }: Yaml, action: string): Yaml[] =>
  steps.filter(({ uses }: Yaml) => uses?.startsWith(`actions/${action}@`));
const scriptsOf = ({ steps = [] }: Yaml): string[] => steps.map(({ run = '' }: Yaml) => run);
const canSignIn = ({ permissions }: Yaml) => permissions?.['id-token'] === 'write';

describe('a workflow', () => {
  it.each(workflows)('pins its actions to commits: %s', (_, { text }) => {
    for (const line of text.match(/^.*\buses: (?!\.\/).*$/gm) ?? []) {
      expect(line).toMatch(/uses: [\w-]+(\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

  it.each(workflows)(
    'has no secret, and no permission to write: %s',
    (_, { text, permissions }) => {
      expect(text).not.toMatch(/secrets(: inherit|\.)/);
      expect(permissions).toBeDefined();
      expect(Object.values(permissions)).not.toContain('write');
    },
  );

  it.each(jobs)('keeps no credentials, and inserts nothing into a script: %s', (_, job) => {
    const { 'id-token': __, 'security-events': ___, ...others } = job.permissions ?? {};

    expect(Object.values(others)).not.toContain('write');
    for (const checkout of stepsOf(job, 'checkout')) {
      expect(checkout.with).toMatchObject({ 'persist-credentials': false });
    }
    expect(scriptsOf(job).filter((script) => script.includes('${{'))).toEqual([]);
  });
});

describe('a job that can sign in to AWS', () => {
  const able = jobs.filter(([, job]) => canSignIn(job) && !job.uses);

  it('is one of two, each in an environment that is restricted to main', () => {
    expect(able.map(([title, { environment }]) => `${title}: ${environment}`)).toEqual([
      'acceptance.yml, accept: acceptance',
      'deploy-stage.yml, deploy: ${{ inputs.stage }}',
    ]);
  });

  it.each(able)('runs only the Node of actions/setup-node: %s', (_, job) => {
    const installations = scriptsOf(job).filter((script) => script.includes('npm ci'));

    // Otherwise, npm would put the packaged Node, an optional dependency, first in the path of scripts.
    expect(installations).toEqual([expect.stringContaining('--omit=optional')]);
  });

  it.each(able)('deploys what a job that cannot sign in has built: %s', (_, job) => {
    const [download] = stepsOf(job, 'download-artifact');
    const makers = jobs.filter(([, each]) =>
      stepsOf(each, 'upload-artifact').some((step) => step.with?.name === download?.with?.name),
    );

    expect(makers.map(([, maker]) => canSignIn(maker))).toEqual([false]);
    const commands = scriptsOf(job)
      .join('\n')
      .match(/cdk (deploy|synth|diff).*/g);
    const app = `--app ${download?.with?.path} `;
    if (commands) for (const command of commands) expect(command).toContain(app);
    // `npm run acceptance` runs `cdk`, which also takes its options from the environment.
    else expect(job.env?.CDK_APP).toBe(download?.with?.path);
  });

  it('passes a key to no command as an argument, and hides the key in the log', () => {
    const uses = able.flatMap(
      ([, job]) =>
        scriptsOf(job)
          .join('\n')
          .match(/^.*\$key\b.*$/gm) ?? [],
    );

    expect(uses.map((line) => line.trim())).toEqual([
      'echo "::add-mask::$key"',
      expect.stringMatching(/^npm [^$]*"\$base_url" --alarm-topic "\$topic" --limits <<< "\$key"$/),
    ]);
  });
});

describe('a deployment', () => {
  const { commit, ...others } = parse(readFileSync(join(folder, 'deploy.yml'), 'utf8')).jobs;

  it('is made for every stage', () => {
    const deployed = Object.values<Yaml>(others).flatMap((job) => job.with?.stage ?? []);

    expectAgreement(
      ['lib/settings/stages.ts', stageNames],
      ['.github/workflows/deploy.yml, jobs', deployed],
    );
  });

  it('is made, in every job, from one commit of main that has passed its checks', () => {
    expect(commit.if).toMatch(/^github\.ref == 'refs\/heads\/main' && \(/);
    const [check = ''] = scriptsOf(commit);
    expect(check).toContain('[[ $COMMIT =~ ^[0-9a-f]{40}$ ]]');
    expect(check).toContain('/compare/$COMMIT...main"');
    expect(check).toContain('?branch=main&event=push&status=success&head_sha=$COMMIT"');
    for (const job of Object.values<Yaml>(others)) {
      const checkouts = stepsOf(job, 'checkout').map((step) => step.with?.ref);
      const commits = job.uses ? [job.with?.commit] : checkouts;
      expect(commits).toEqual(['${{ needs.commit.outputs.id }}']);
      expect([job.needs].flat()).toContain('commit');
    }
  });
});

describe('npm', () => {
  const manifests = ['package.json', 'tools/package.json'].filter(existsSync);
  /** The packages for which npm has no hash. They are used only on the developers' own machines. */
  const withoutHash = ['darwin-arm64', 'darwin-x64', 'linux-arm64'].map(
    (platform) => `node_modules/@dynoxide/${platform}`,
  );

  it('downloads only packages with a hash, and from its configured registry', () => {
    const locked: Record<string, Readonly<Record<string, unknown>>> = readJson(
      'package-lock.json',
    ).packages;
    // A bundled package is in its parent's archive, which has a hash itself. A workspace is in the repository.
    const downloaded = Object.entries(locked).filter(
      ([path, { inBundle, link }]) => path.includes('node_modules/') && !inBundle && !link,
    );

    const missing = downloaded.filter(([, { integrity }]) => !`${integrity}`.startsWith('sha512-'));
    expect(missing.map(([path]) => path)).toEqual(withoutHash);
    expect(downloaded.filter(([, { resolved }]) => resolved)).toEqual([]);
  });

  it('installs one released version of each dependency', () => {
    const required = manifests
      .map(readJson)
      .flatMap((each) => [each.dependencies, each.devDependencies, each.optionalDependencies])
      .flatMap((versions) => Object.entries<string>(versions ?? {}));

    expect(required.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))).toEqual([]);
  });

  it('lets no package run a script during its installation', () => {
    expect(readFileSync('.npmrc', 'utf8').split('\n')).toContain('ignore-scripts=true');
  });
});

function readJson(file: string) {
  return JSON.parse(readFileSync(file, 'utf8'));
}
