import type { Explanation } from './explanation.ts';

/** For `local/integrations/`, `local/iam/`, `local/template/`, `local/control-plane/` and `local/state/`. */
export const integrations: readonly Explanation[] = [
  {
    file: 'local/integrations/mock-integration.ts',
    code: "(property('MethodResponses') ?? []).map((response: Record<string, never>) => [",
    changed:
      '(property(\'MethodResponses\') ?? ["Stryker was here"]).map((response: Record<string, never>) => [',
    reason: 'What has no status declares a response for none, as no response does.',
  },
  {
    file: 'local/integrations/proxy-event.ts',
    code: "const contentType = request.headers.get('content-type')?.values.at(-1) ?? '';",
    changed:
      'const contentType = request.headers.get(\'content-type\')?.values.at(-1) ?? "Stryker was here!";',
    reason: 'A text that is no media type is binary as little as an empty one.',
  },
  {
    file: 'local/integrations/proxy-result.ts',
    code: "const wantedType = accept?.split(',')[0] ?? answerType ?? '';",
    changed: 'const wantedType = accept?.split(\',\')[0] ?? answerType ?? "Stryker was here!";',
    reason: 'A text that is no media type is binary as little as an empty one.',
  },
  {
    file: 'local/integrations/trace-header.ts',
    code: "const fields = (sent ?? '').split(';').map((part) => part.trim());",
    changed:
      'const fields = (sent ?? "Stryker was here!").split(\';\').map((part) => part.trim());',
    reason: 'Neither this text nor an empty one holds a field of a trace.',
  },
];
