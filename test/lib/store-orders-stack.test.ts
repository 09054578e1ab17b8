import { describe, expect, it } from '@jest/globals';
import { stageNames, template } from '../helpers/synthesized.ts';

describe.each(stageNames)('stack of %s', (stage) => {
  it('states where it is and what the operator needs', () => {
    const { Outputs } = template(stage);

    expect(Object.keys(Outputs).sort()).toEqual([
      'ApiKeysTableName',
      'BaseUrl',
      'OrdersTableName',
      'RestApiId',
      'UsagePlanIdBusiness',
      'UsagePlanIdEnterprise',
      'UsagePlanIdFree',
      'UsagePlanIdPro',
    ]);
  });
});
