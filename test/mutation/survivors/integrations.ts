import type { Explanation } from './explanation.ts';

/** For `local/integrations/`, `local/iam/`, `local/template/`, `local/control-plane/` and `local/state/`. */
export const integrations: readonly Explanation[] = [
  {
    file: 'local/control-plane/control-plane.ts',
    code: 'this.#restore(state ?? { apiKeys: [], usagePlanKeys: [] });',
    changed: 'this.#restore(state ?? { apiKeys: [], usagePlanKeys: ["Stryker was here"] });',
    reason: 'A text names neither a plan nor a key, so it puts none into one.',
  },
  {
    file: 'local/control-plane/control-plane-http.ts',
    code: "const { keyId = '' } = fieldsOf<{ keyId?: string }>(body, { keyId: 'string' });",
    changed:
      'const { keyId = "Stryker was here!" } = fieldsOf<{ keyId?: string }>(body, { keyId: \'string\' });',
    reason: 'No key has this text for an id, nor an empty one.',
  },
  {
    file: 'local/control-plane/control-plane-http.ts',
    code: "return /^\\d+$/.test(text ?? '') ? Number(text) : undefined;",
    changed: 'return /^\\d+$/.test(text ?? "Stryker was here!") ? Number(text) : undefined;',
    reason: 'This text is a whole number as little as an empty one.',
  },
  {
    file: 'local/control-plane/loopback.ts',
    code: "return loopbackAddress.test(socket.remoteAddress ?? '') && loopbackHost.test(headers.host ?? '');",
    changed:
      'return loopbackAddress.test(socket.remoteAddress ?? "Stryker was here!") && loopbackHost.test(headers.host ?? \'\');',
    reason: 'This text is an address of this machine as little as an empty one.',
  },
  {
    file: 'local/control-plane/loopback.ts',
    code: "return loopbackAddress.test(socket.remoteAddress ?? '') && loopbackHost.test(headers.host ?? '');",
    changed:
      'return loopbackAddress.test(socket.remoteAddress ?? \'\') && loopbackHost.test(headers.host ?? "Stryker was here!");',
    reason: 'This text is a name of this machine as little as an empty one.',
  },
  {
    file: 'local/control-plane/loopback.ts',
    code: "const isSigned = (headers.authorization ?? '').startsWith('AWS4-HMAC-SHA256 ');",
    changed:
      'const isSigned = (headers.authorization ?? "Stryker was here!").startsWith(\'AWS4-HMAC-SHA256 \');',
    reason: 'This text is a signature as little as an empty one.',
  },
  {
    file: 'local/control-plane/management.ts',
    code: 'return true;',
    changed: 'return false;',
    reason:
      'After a call of DynamoDB the API answers too, but the answer has ended, so that nobody gets it.',
  },
  {
    file: 'local/iam/pattern.ts',
    code: "return patterns.every((segment, index) => matchesPattern(segment, segments[index] ?? ''));",
    changed:
      'return patterns.every((segment, index) => matchesPattern(segment, segments[index] ?? "Stryker was here!"));',
    reason:
      'The default is for the compiler: an ARN has as many segments as a pattern at most has.',
  },
  {
    file: 'local/iam/policy.ts',
    code: 'return [Statement ?? []]',
    changed: 'return [Statement ?? ["Stryker was here"]]',
    reason: 'A text has no action, so it is no statement about the service.',
  },
  {
    file: 'local/iam/roles.ts',
    code: "const inline: { PolicyDocument: Document }[] = property('Policies') ?? [];",
    changed:
      'const inline: { PolicyDocument: Document }[] = property(\'Policies\') ?? ["Stryker was here"];',
    reason: 'A text has no policy document, so it allows nothing.',
  },
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
  {
    file: 'local/state/data-directory.ts',
    code: "const value: unknown = JSON.parse(readFileSync(file, 'utf8'));",
    changed: 'const value: unknown = JSON.parse(readFileSync(file, ""));',
    reason: 'Without an encoding there are bytes, which JSON.parse reads as UTF-8 too.',
  },
  {
    file: 'local/state/data-directory.ts',
    code: 'fsyncSync(descriptor);',
    changed: ';',
    reason: 'Only after a loss of power does it show whether the bytes have reached the disk.',
  },
  {
    file: 'local/template/template.ts',
    code: "return new Template(change(JSON.parse(readFileSync(file, 'utf8'))), environment);",
    changed: 'return new Template(change(JSON.parse(readFileSync(file, ""))), environment);',
    reason: 'Without an encoding there are bytes, which JSON.parse reads as UTF-8 too.',
  },
];
