import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { SmallDisk } from '../../chaos/small-disk.ts';
import { missingTools } from '../../chaos/tools.ts';
import type { FieldCase } from '../support/field-case.ts';
import { measureFullDisk } from './f50/full.ts';
import { measureStored } from './f50/stored.ts';
import { settledTenants } from './f50/tenants.ts';

const DISK_MB = 8;

/**
 * Of a release the answer claims nothing that is stored: it comes at once, by the rules, and a crash before the end of
 * the lease is on disk only delays whoever is next. So what is looked at here is that nobody *is* next meanwhile.
 */
export const F50: FieldCase = {
  id: 'F50',
  title: 'S4 R14 a full disk refuses what it cannot store, costs no lease, and is over as soon as there is space',
  async run(bench, size) {
    const missing = missingTools().get('mounts');
    if (missing !== undefined) throw new Error(`a disk that is small enough to be filled cannot be made: ${missing}`);
    // Within a short time renewals are asked for by hand; a long window is for machines that are busy.
    const { fullMs, ttlMs } = size === 'full' ? { fullMs: 30_000, ttlMs: 3_000 } : { fullMs: 2_000, ttlMs: 30_000 };
    using disk = new SmallDisk(DISK_MB);
    const folder = join(disk.folder, 'data');
    mkdirSync(folder);
    const data = join(folder, 'leasehold.db');
    const coordinator = await bench.coordinator({ data });
    const tenants = await settledTenants(bench, coordinator, ttlMs);
    const place = { coordinator, data, disk, tenants };
    await measureFullDisk(bench, place, fullMs);
    const next = await measureStored(bench, place);
    // The rest is judged before the disk is taken away.
    await bench.rest();
    await next.stop();
  },
};
