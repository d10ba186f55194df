import type { FieldCase } from '../support/field-case.ts';
import { clientsOfOtherVersions, oldTabAfterDeploy } from './f21/client.ts';
import { unknownEvents } from './f21/events.ts';
import { Interpreter } from './f21/interpreter.ts';
import { hellosOfOtherVersions, strangeWords } from './f21/raw.ts';

export const F21: FieldCase = {
  id: 'F21',
  title: 'S10 versions without one in common are told so and stay away; what is new within a version is passed over',
  async run(bench, size) {
    const coordinator = await bench.coordinator();
    const observeMs = size === 'full' ? 20_000 : 2_000;
    await using interpreters = new AsyncDisposableStack();
    const interpreter = async (): Promise<Interpreter> =>
      interpreters.adopt(await Interpreter.before(coordinator.url), (one) => one.close());
    await hellosOfOtherVersions(bench, coordinator);
    await strangeWords(bench, coordinator);
    await Promise.all([
      clientsOfOtherVersions(bench, interpreter, observeMs),
      oldTabAfterDeploy(bench, interpreter, observeMs),
      unknownEvents(bench, await interpreter()),
    ]);
  },
};
