import type { Field, Fields, FrameTable } from '../../shared/frame-table.ts';
import { CLIENT_FRAMES, COORDINATOR_FRAMES } from '../../shared/frames.ts';
import type { Json } from '../../shared/json.ts';
import {
  CLOSE_REASON_BYTES_MAX,
  ID_BYTES_MAX,
  MESSAGES_PER_FRAME_MAX,
  NAME_BYTES_MAX,
  PROTOCOL,
} from '../../shared/limits.ts';
import { CLOSE_CODE_MAX, CLOSE_CODE_MIN } from './envelope.ts';

/**
 * The frames as a JSON Schema document, for clients in other languages. JSON Schema counts characters and not bytes,
 * so that a bound in bytes is a bound in characters there, with the bytes in its description.
 */
export function protocolSchema(): Json {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `urn:${PROTOCOL}:frames`,
    title: `Frames of ${PROTOCOL}`,
    description:
      'Made from shared/frames.ts. A frame is one message, or a list of messages; under the subprotocol with channels, an envelope.',
    $defs: {
      clientFrame: frameOf('clientMessage'),
      coordinatorFrame: frameOf('coordinatorMessage'),
      clientEnvelope: envelopeOf('clientMessage', ['channel', 'close']),
      coordinatorEnvelope: envelopeOf('coordinatorMessage', ['channel', 'close', 'reason']),
      clientMessage: { oneOf: refsTo('client', CLIENT_FRAMES) },
      coordinatorMessage: { oneOf: refsTo('coordinator', COORDINATOR_FRAMES) },
      ...messagesOf('client', CLIENT_FRAMES),
      ...messagesOf('coordinator', COORDINATOR_FRAMES),
    },
  };
}

type Side = 'client' | 'coordinator';

const frameOf = (message: string): Json => ({
  anyOf: [
    { $ref: `#/$defs/${message}` },
    { type: 'array', minItems: 1, maxItems: MESSAGES_PER_FRAME_MAX, items: { $ref: `#/$defs/${message}` } },
  ],
});

/** A frame of a socket that carries channels. */
const envelopeOf = (message: string, ofClose: readonly string[]): Json => {
  const channel = { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
  const messages = {
    type: 'array',
    minItems: 1,
    maxItems: MESSAGES_PER_FRAME_MAX,
    items: { $ref: `#/$defs/${message}` },
  };
  const close = { type: 'integer', minimum: CLOSE_CODE_MIN, maximum: CLOSE_CODE_MAX };
  const reason = text(0, CLOSE_REASON_BYTES_MAX);
  return {
    oneOf: [
      { type: 'object', properties: { channel, messages }, required: ['channel', 'messages'] },
      { type: 'object', properties: { channel, close, reason }, required: [...ofClose] },
    ],
  };
};

const refsTo = (side: Side, table: FrameTable): Json =>
  Object.keys(table).map((type) => ({ $ref: `#/$defs/${side}.${type}` }));

function messagesOf(side: Side, table: FrameTable): Record<string, Json> {
  const defs: Record<string, Json> = {};
  for (const [type, fields] of Object.entries(table))
    defs[`${side}.${type}`] = record(fields, { type: { const: type } });
  return defs;
}

function record(fields: Fields, first: Record<string, Json> = {}): Json {
  const properties: Record<string, Json> = { ...first };
  const required = Object.keys(first);
  for (const [key, field] of Object.entries(fields)) {
    properties[key] = schemaOf(field);
    if (field.optional !== true) required.push(key);
  }
  return { type: 'object', properties, required };
}

const text = (least: number, bytesMax: number): Json => ({
  type: 'string',
  minLength: least,
  maxLength: bytesMax,
  description: `At most ${bytesMax} bytes of UTF-8.`,
});

function schemaOf(field: Field): Json {
  switch (field.kind) {
    case 'name':
      return text(1, NAME_BYTES_MAX);
    case 'token':
    case 'frame':
      return { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER };
    case 'duration':
      return { type: 'integer', minimum: field.min, maximum: field.max, description: 'Milliseconds.' };
    case 'integer':
      return { type: 'integer', minimum: field.min, maximum: field.max };
    case 'number':
      return { type: 'number' };
    case 'flag':
      return { type: 'boolean' };
    case 'text':
      return text(0, field.bytesMax);
    case 'id':
      return text(1, ID_BYTES_MAX);
    case 'one-of':
      return { enum: [...field.values] };
    case 'json':
      return { description: `Any JSON value of at most ${field.bytesMax} bytes of UTF-8.` };
    case 'record':
      return record(field.fields);
    case 'list':
      return { type: 'array', maxItems: field.max, items: schemaOf(field.item) };
    default:
      return field satisfies never;
  }
}
