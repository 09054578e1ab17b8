import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { functionNames } from '../../../lib/settings/functions.ts';
import { capitalized } from '../../../lib/settings/names.ts';
import { differences, missing } from '../../helpers/differences.ts';
import { stageNames } from '../../helpers/synthesized.ts';
import { properties } from '../readable.ts';

interface Query {
  readonly name: string;
  readonly text: string;
  readonly logs: readonly string[];
}

/** The names of the logs in the runbook, by the log group's logical id. */
const logGroupIds: Readonly<Record<string, string>> = {
  'access log': 'ApiAccessLogs',
  ...Object.fromEntries(functionNames.map((name) => [name, `${capitalized(name)}Logs`])),
};

describe.each(stageNames)('saved queries of %s', (stage) => {
  it("are the runbook's, all of them and no others, on the logs that it names", () => {
    const shown = runbookQueries();

    const saved = savedQueries(stage);

    expect(
      differences(
        ['lib/monitoring/saved-queries.ts', factsOf(saved)],
        ['docs/runbook.md', factsOf(shown)],
      ),
    ).toEqual([]);
  });

  it('read fields that the access log has, where they read it alone', () => {
    const [{ AccessLogSetting }] = Object.values(properties(stage, 'AWS::ApiGateway::Stage')) as [
      { AccessLogSetting: { Format: string } },
    ];
    const read = savedQueries(stage)
      .filter(({ logs }) => logs.join() === `\${${logGroupIds['access log']}}`)
      .flatMap(({ text }) => fieldsIn(text));

    const logged = Object.keys(JSON.parse(AccessLogSetting.Format));

    expect(read).not.toEqual([]);
    expect(
      missing(['lib/monitoring/saved-queries.ts', read], ['lib/api/access-logs.ts', logged]),
    ).toEqual([]);
  });

  it('are linked on the dashboard, in its own Region, with text and logs filled in', () => {
    const [{ DashboardBody }] = Object.values(properties(stage, 'AWS::CloudWatch::Dashboard')) as [
      { DashboardBody: string },
    ];

    const { widgets } = JSON.parse(DashboardBody) as {
      widgets: { type: string; properties: { markdown: string } }[];
    };
    const markdown = widgets.find(({ type }) => type === 'text')!.properties.markdown;

    expect(byName(linkedQueries(markdown))).toEqual(byName(savedQueries(stage)));
  });
});

/** The names in a query that are neither the language's own nor given by `as`. */
function fieldsIn(text: string): string[] {
  const words = text.replaceAll(/"[^"]*"|\/[^/]*\/|\b\w+\(\*?|\d+\w*/g, ' ').match(/\b[a-z]\w*/gi)!;
  const given = [...text.matchAll(/ as (\w+)/g)].map(([, name]) => name!);
  const language = ['filter', 'stats', 'sort', 'by', 'as', 'and', 'in', 'like', 'desc'];
  return words.filter((word) => ![...language, ...given].includes(word));
}

/** Each query as one text. */
function factsOf(queries: readonly Query[]): string[] {
  return queries.map(({ name, text, logs }) => `${name}, logs ${logs.join()}: ${text}`);
}

function savedQueries(stage: (typeof stageNames)[number]): Query[] {
  return Object.values(properties(stage, 'AWS::Logs::QueryDefinition')).map(
    ({ Name, QueryString, LogGroupNames }) => ({
      name: Name.replace(`StoreOrders-${stage}/`, ''),
      text: QueryString,
      logs: LogGroupNames,
    }),
  );
}

/** The code blocks without a language, which have to begin with `# Logs Insights, NAME, LOGS`. */
function runbookQueries(): Query[] {
  const runbook = readFileSync('docs/runbook.md', 'utf8');
  const blocks = [...runbook.matchAll(/^```(\w*)\n(.*?)^```$/gms)]
    .filter(([, language]) => language === '')
    .map(([, , block = '']) => block.trimEnd());
  return blocks.map((block) => {
    const [heading = '', ...lines] = block.split('\n');
    const [, name = '', logs = ''] = /^# Logs Insights, ([a-z-]+), (.+)$/.exec(heading) ?? [];
    const names = logs.replace(/^logs? of /, '').split(/, | and /);
    return {
      name,
      text: lines.join('\n'),
      logs: names.map((log) => `\${${logGroupIds[log]}}`),
    };
  });
}

/** The query and the log groups that the console reads from a link. */
function linkedQueries(markdown: string): Query[] {
  const link =
    /\[([a-z-]+)\]\(https:\/\/\$\{AWS::Region\}\.console\.aws\.amazon\.com\/cloudwatch\/home\?region=\$\{AWS::Region\}#logsV2:logs-insights\$3FqueryDetail\$3D~\(end~0~start~-3600~timeType~'RELATIVE~unit~'seconds~editorString~'([^~]*)~source~\(([^)]*)\)\)\)/g;
  return [...markdown.matchAll(link)].map(([, name = '', text = '', source = '']) => ({
    name,
    text: decodeURIComponent(text.replaceAll('*', '%')),
    logs: source.split("~'").slice(1),
  }));
}

function byName(queries: readonly Query[]): Record<string, Query> {
  return Object.fromEntries(queries.map((query) => [query.name, query]));
}
