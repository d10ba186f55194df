import type { FieldCase } from '../support/field-case.ts';
import { fiveInARow } from './f11/five-in-a-row.ts';
import { Owner } from './f11/owner.ts';
import { twins } from './f11/twins.ts';
import { wrongSecrets } from './f11/wrong-secrets.ts';

export const F11: FieldCase = {
  id: 'F11',
  title: 'S3 S10 a session has one socket that speaks for it, whoever else comes with its secret or without',
  async run(bench, size) {
    const coordinator = await bench.coordinator();
    const owner = await Owner.come(coordinator.url);
    await twins(bench, owner, size === 'full' ? 100 : 30);
    await wrongSecrets(bench, owner, size === 'full' ? 400 : 80);
    await fiveInARow(bench, owner);
    await owner.leave();
  },
};
