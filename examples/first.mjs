// One holder at a time: start it in two terminals, beside `npm start`.
import { connect } from 'leasehold';

const client = connect('ws://127.0.0.1:7400');
await client.run('nightly-report', async (lease) => {
  console.log(`holding ${lease.name} with fencing token ${lease.fencingToken}`);
});
