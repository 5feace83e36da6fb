/** Limits the metadata of a payment, and checks the one name in it that the sandbox reads. See `decisions.md` 4 and 7. */

import { walk } from '../card-number/walk.ts'
import { FAULT_NAMES } from '../contract/faults.ts'
import { METADATA_KEYS_MAX } from '../contract/fields.ts'
import type { World } from '../contract/health.ts'
import { AppError } from '../errors.ts'
import { say } from '../messages/say.ts'

/** How deep objects and lists may be nested. `metadata` itself is the first level. */
const DEPTH_MAX = 4
const BYTES_MAX = 8 * 1024

/** Checks the field `metadata` of a body if it is an object. @throws AppError validation_failed */
export function checkMetadata(body: unknown, world: World): void {
  const { metadata } = (body ?? {}) as { metadata?: { sandboxFault?: unknown } }
  if (typeof metadata !== 'object' || metadata === null) return
  const problem = problemOf(metadata)
  if (problem) throw new AppError('validation_failed', { errors: { metadata: problem } })
  const { sandboxFault } = metadata
  if (world === 'live' || sandboxFault === undefined || FAULT_NAMES.some((fault) => fault === sandboxFault))
    return
  const names = `must be one of ${FAULT_NAMES.join(', ')}`
  throw new AppError('validation_failed', { errors: { 'metadata.sandboxFault': names } })
}

function problemOf(metadata: object): string | null {
  let keys = 0
  for (const { isElement, value, depth } of walk(metadata)) {
    if (depth >= DEPTH_MAX && typeof value === 'object' && value !== null)
      return say('en', 'errors.metadata.deep', { levels: DEPTH_MAX })
    if (!isElement && ++keys > METADATA_KEYS_MAX)
      return say('en', 'errors.metadata.keys', { keys: METADATA_KEYS_MAX })
  }
  return Buffer.byteLength(JSON.stringify(metadata)) > BYTES_MAX
    ? say('en', 'errors.metadata.large', { bytes: BYTES_MAX })
    : null
}
