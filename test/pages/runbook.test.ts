import { readFileSync } from 'node:fs';
import { it } from '@jest/globals';
import { stackName } from '../../lib/settings/names.ts';
import { expectAgreement, expectContained } from '../helpers/agreement.ts';
import { stageNames } from '../helpers/synthesized.ts';
import { properties } from '../lib/readable.ts';
import { anchorsOf } from './markdown.ts';

const runbook = readFileSync('docs/runbook.md', 'utf8');

it.each(stageNames)(
  'Alarms of %s each lead to a section of the runbook that says what to do',
  (stage) => {
    const alarms = properties(stage, 'AWS::CloudWatch::Alarm');
    const sections = runbook.split(/^(?=## )/m).flatMap((section) => {
      if (!/^\*\*Look\.\*\*[\s\S]*(^\*\*Do\.\*\*|what to do \|)/m.test(section)) return [];
      const [anchor] = anchorsOf(section);
      const [paragraph = ''] = /^\*\*Alarms?\*\*.*?\n\n/ms.exec(section) ?? [];
      return [...paragraph.matchAll(/`(\w+)`/g)].map(([, name]) => `${name}: ${anchor}`);
    });
    const named = Object.entries(alarms).map(([id, { AlarmDescription }]) => {
      const [, anchor] = AlarmDescription.split(' Runbook: docs/runbook.md#');
      return `${id.replace('Monitoring', '')}: ${anchor}`;
    });

    const place = 'docs/runbook.md, sections that say where to look and what to do';
    expectContained(['lib/monitoring/alarms.ts', named], [place, sections]);
  },
);

it.each(stageNames)(
  'Saved queries of %s are named in the runbook, which names no others',
  (stage) => {
    const saved = Object.values(properties(stage, 'AWS::Logs::QueryDefinition'));
    const known = saved.map(({ Name }) => Name);
    const named = [...runbook.matchAll(/query\s`([^`]+)`/g)].map(
      ([, name]) => `${stackName(stage)}/${name}`,
    );

    expectAgreement(['lib/monitoring/saved-queries.ts', known], ['docs/runbook.md', named]);
  },
);
