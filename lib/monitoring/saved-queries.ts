import { CfnQueryDefinition, type LogGroup } from 'aws-cdk-lib/aws-logs';
import { Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { capitalized } from '../settings/names.ts';
import { type LogName, type LogQuery, logQueries } from './log-queries.ts';

export interface SavedQueriesProps {
  /** Folder that the console shows the queries in. */
  readonly folder: string;
  readonly logGroups: Readonly<Record<LogName, LogGroup>>;
}

/** The runbook's queries, saved in Logs Insights together with the logs that they read. */
export class SavedQueries extends Construct {
  /** Markdown: one link to the console for each query, in the stack's own Region. */
  readonly links: string;

  constructor(scope: Construct, id: string, { folder, logGroups }: SavedQueriesProps) {
    super(scope, id);
    const links = logQueries.map((query) => {
      const logGroupNames = query.logs.map((name) => logGroups[name].logGroupName);
      new CfnQueryDefinition(this, query.name.split('-').map(capitalized).join(''), {
        name: `${folder}/${query.name}`,
        queryString: query.text,
        logGroupNames,
      });
      return `[${query.name}](${consoleUrl(Stack.of(this).region, query, logGroupNames)})`;
    });
    this.links = links.join(' · ');
  }
}

/**
 * The page of Logs Insights with a query filled in, for the last hour. AWS does not document the
 * form; it is what the console itself writes into the address bar.
 */
function consoleUrl(region: string, { text }: LogQuery, logGroupNames: readonly string[]): string {
  // The names that CloudFormation generates have no character that needs escaping.
  const source = logGroupNames.map((name) => `~'${name}`).join('');
  const detail = `~(end~0~start~-3600~timeType~'RELATIVE~unit~'seconds~editorString~'${escaped(text)}~source~(${source}))`;
  return `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}#logsV2:logs-insights$3FqueryDetail$3D${detail}`;
}

/** A character that is neither a letter nor a digit as `*` and its code in hexadecimal. */
function escaped(asciiText: string): string {
  return asciiText.replace(
    /[^A-Za-z0-9]/g,
    (character) => `*${character.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
}
