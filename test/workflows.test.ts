import { describe, expect, it } from '@jest/globals';
import { stageNames } from '../lib/settings/stages.ts';
import { differences } from './helpers/differences.ts';
import { variablesReadFor } from './helpers/functions/read-variables.ts';
import { type Job, stepsOf, workflows, workflowTexts } from './workflows.ts';

const files = Object.keys(workflows);
const jobs = Object.entries(workflows).flatMap(([file, workflow]) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({ title: `${file}, ${name}`, name, job })),
);
const scriptsOf = (job: Job) => stepsOf(job).map(({ run = '' }) => run);
const canSignIn = ({ permissions }: Job) => permissions?.['id-token'] === 'write';
const deploy = workflows['deploy.yml']!;

describe('every workflow', () => {
  it.each(files)('%s pins each action to a commit, and names its version', (file) => {
    const foreign = workflowTexts[file]!.match(/^.*\buses: (?!\.\/).*$/gm) ?? [];

    for (const line of foreign) {
      expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

  it('has one version of each action', () => {
    const all = Object.values(workflowTexts).flatMap(
      (text) => text.match(/[\w-]+\/[\w-]+@.*$/gm) ?? [],
    );
    const versions = Map.groupBy(new Set(all), (reference) => reference.split('@')[0]!);

    expect([...versions.values()].filter(({ length }) => length > 1)).toEqual([]);
  });

  it.each(files)('%s gives its jobs no permission to sign in to AWS by default', (file) => {
    expect(workflows[file]!.permissions).toBeDefined();
    expect(workflows[file]!.permissions['id-token']).toBeUndefined();
  });

  it.each(jobs)('$title: may write nothing, and keeps no credentials', ({ job }) => {
    const { 'id-token': _, ...others } = job.permissions ?? {};
    const checkouts = stepsOf(job).filter(({ uses }) => uses?.startsWith('actions/checkout@'));

    expect(Object.values(others)).not.toContain('write');
    for (const checkout of checkouts) expect(checkout.with?.['persist-credentials']).toBe(false);
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
  it('comes to prod when it has passed the smoke test of staging, one deployment at a time', () => {
    expect(deploy.jobs.prod?.needs).toContain('staging');
    expect(deploy.concurrency).toMatchObject({ 'cancel-in-progress': false });
    const revoke = stepsOf(workflows['deploy-stage.yml']!.jobs.deploy!).at(-1);
    expect([revoke?.name, revoke?.if]).toEqual([
      'Revoke the key',
      expect.stringMatching(/^always\(\)/),
    ]);
  });

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
