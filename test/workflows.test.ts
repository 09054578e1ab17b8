import { describe, expect, it } from '@jest/globals';
import { stageNames } from '../lib/settings/stages.ts';
import { expectAgreement } from './helpers/agreement.ts';
import { type Job, stepsOf, workflows, workflowTexts } from './workflows.ts';

const files = Object.keys(workflows);
const jobs = Object.entries(workflows).flatMap(([file, workflow]) =>
  Object.entries(workflow.jobs).map(([name, job]) => ({ title: `${file}, ${name}`, name, job })),
);
const scriptsOf = (job: Job) => stepsOf(job).map(({ run = '' }) => run);
const canSignIn = ({ permissions }: Job) => permissions?.['id-token'] === 'write';
const deploy = workflows['deploy.yml']!;
const deployStage = workflows['deploy-stage.yml']!.jobs.deploy!;

describe('every workflow', () => {
  it.each(files)('%s pins each action to a commit, and names its version', (file) => {
    const foreign = workflowTexts[file]!.match(/^.*\buses: (?!\.\/).*$/gm) ?? [];

    for (const line of foreign) {
      expect(line).toMatch(/uses: [\w-]+(\/[\w-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
    }
  });

  it.each(files)('%s stops at every failure', (file) => {
    expect(workflowTexts[file]).not.toMatch(/continue-on-error|\|\| true\b/);
  });

  it.each(files)('%s gives its jobs no permission to sign in to AWS by default', (file) => {
    expect(workflows[file]!.permissions).toBeDefined();
    expect(workflows[file]!.permissions['id-token']).toBeUndefined();
  });

  it.each(jobs)('$title: may only write findings, and keeps no credentials', ({ job }) => {
    const { 'id-token': _, 'security-events': __, ...others } = job.permissions ?? {};
    const checkouts = stepsOf(job).filter(({ uses }) => uses?.startsWith('actions/checkout@'));

    expect(Object.values(others)).not.toContain('write');
    for (const checkout of checkouts) {
      expect(checkout.with).toMatchObject({ 'persist-credentials': false });
    }
  });

  it.each(jobs)('$title: inserts nothing that others choose into its scripts', ({ job }) => {
    expect(scriptsOf(job).filter((script) => script.includes('${{'))).toEqual([]);
  });
});

describe('a job that can sign in to AWS', () => {
  const able = jobs.filter(({ job }) => canSignIn(job) && !job.uses);

  it('is only one that deploys', () => {
    const deploying = jobs.filter(({ job }) => /cdk deploy|acceptance/.test(scriptsOf(job).join()));

    expect(able.map(({ title }) => title)).toEqual(deploying.map(({ title }) => title));
    expect(able).not.toEqual([]);
  });

  it.each(able)('$title: does so in the environment that accepts only main', ({ job }) => {
    expect(['${{ inputs.stage }}', 'acceptance']).toContain(job.environment);
  });

  it.each(able)(
    '$title: receives no secret, and runs only the Node of actions/setup-node',
    ({ job }) => {
      const installations = scriptsOf(job).filter((script) => script.includes('npm ci'));

      expect(Object.values(workflowTexts).join()).not.toMatch(/secrets(: inherit|\.)/);
      // Otherwise, npm would put the packaged Node, an optional dependency, first in the path of scripts.
      expect(installations).toEqual([expect.stringContaining('--omit=optional')]);
    },
  );

  it.each(able)('$title: deploys what a job that cannot sign in has built', ({ job }) => {
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
    // GitHub lets a deployment wait for its reviewer for 30 days.
    const uploads = stepsOf(makers[0]!.job).map((step) => step.with?.['retention-days']);
    expect(uploads).toContain(31);
    const commands =
      scriptsOf(job)
        .join('\n')
        .match(/cdk (deploy|synth|diff).*/g) ?? [];
    for (const command of commands) expect(command).toContain(`--app ${download?.with?.path} `);
    // `npm run acceptance` runs `cdk`, which also takes its options from the environment.
    if (commands.length === 0) expect(job.env?.CDK_APP).toBe(download?.with?.path);
  });
});

describe('the synthesis for a deployment', () => {
  it('is followed by a deployment of every stage', () => {
    const deployed = Object.values(deploy.jobs).flatMap(({ with: inputs }) => inputs?.stage ?? []);

    expectAgreement(
      ['lib/settings/stages.ts', stageNames],
      ['.github/workflows/deploy.yml, jobs', deployed as string[]],
    );
  });
});

describe('what is deployed', () => {
  it("reaches prod after it has passed staging's smoke test, except in an emergency", () => {
    const { prod, ...others } = deploy.jobs;
    const ofStages = Object.values(others).filter((job) => job.with?.stage);

    expect(prod?.needs).toContain('staging');
    expect(prod?.if).toContain("(needs.staging.result == 'success' || inputs.emergency)");
    expect(prod?.if).toContain("needs.build.result == 'success' && ");
    expect(ofStages.map((job) => job.if)).toEqual(ofStages.map(() => '${{ !inputs.emergency }}'));
    expect(stepsOf(deployStage).at(-1)).toMatchObject({
      name: 'Revoke the key',
      if: expect.stringMatching(/^always\(\)/),
    });
  });

  it('is a commit of main that has passed its checks', () => {
    const { on: checked, ...check } = workflows['pull-request.yml']!;

    expect(checked.push).toEqual({ branches: ['main'] });
    expect(deploy.on.workflow_run?.workflows).toEqual([check.name]);
    expect(deploy.on.workflow_run?.types).toEqual(['completed']);
  });

  it('is the same commit in every job, however the deployment was started', () => {
    const expected = '${{ needs.commit.outputs.id }}';
    const { commit: first, ...others } = deploy.jobs;

    expect(first?.if).toBe(
      "github.ref == 'refs/heads/main' && (github.event_name == 'workflow_dispatch' || (github.event.workflow_run.conclusion == 'success' && github.event.workflow_run.event == 'push'))",
    );
    for (const job of Object.values(others)) {
      const checkouts = stepsOf(job).filter(({ uses }) => uses?.startsWith('actions/checkout@'));
      const commits = job.uses ? [job.with?.commit] : checkouts.map((step) => step.with?.ref);
      expect(commits).toEqual([expected]);
      expect([job.needs].flat()).toContain('commit');
    }
    const [checkout] = stepsOf(deployStage);
    expect(checkout?.with?.ref).toBe('${{ inputs.commit }}');
  });
});
