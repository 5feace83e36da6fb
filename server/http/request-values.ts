/** Checks of a request that its schema does not make: every value can be stored unchanged, and `metadata` keeps within its limits. */
import { pathOf, type Visited, walk } from '../card-number/walk.ts'
import type { FieldErrors } from '../contract/failure.ts'
import { FAULT_NAMES } from '../contract/faults.ts'
import { METADATA_KEYS_MAX } from '../contract/fields.ts'
import type { World } from '../contract/health.ts'
import { AppError } from '../errors.ts'
import { translate } from '../messages/translate.ts'

/** `all`: every value, as `walk` returns them. @throws AppError validation_failed with every such field */
export function refuseUnstorable(all: readonly Visited[], root: string): void {
  const errors: FieldErrors = {}
  for (const visited of all) {
    const { name, isElement, parent, value } = visited
    const isNameWrong = !isElement && problemOf(name) !== null
    if (isNameWrong) errors[pathOf(parent, root)] = 'must not have a property with such a name'
    const problem = isNameWrong ? null : problemOf(value)
    if (problem) errors[pathOf(visited, root)] = problem
  }
  if (Object.keys(errors).length > 0) throw new AppError('validation_failed', { errors })
}

function problemOf(value: unknown): string | null {
  if (typeof value === 'string') {
    if (value.includes('\0')) return 'must not contain a NUL character'
    if (!value.isWellFormed()) return 'must not contain half of a surrogate pair'
  }
  // A larger number has already lost digits when it is parsed.
  if (typeof value === 'number' && !(Math.abs(value) <= Number.MAX_SAFE_INTEGER))
    return `must not be a number beyond ${Number.MAX_SAFE_INTEGER}`
  return null
}

/** How deep objects and lists may be nested. `metadata` itself is the first level. */
const DEPTH_MAX = 4
const BYTES_MAX = 8 * 1024

/** Checks the field `metadata` of a body if it is an object. @throws AppError validation_failed */
export function checkMetadata(body: unknown, world: World): void {
  const { metadata } = (body ?? {}) as { metadata?: { sandboxFault?: unknown } }
  if (typeof metadata !== 'object' || metadata === null) return
  const problem = problemOfMetadata(metadata)
  if (problem) throw new AppError('validation_failed', { errors: { metadata: problem } })
  const { sandboxFault } = metadata
  if (world === 'live' || sandboxFault === undefined || FAULT_NAMES.some((fault) => fault === sandboxFault))
    return
  const names = `must be one of ${FAULT_NAMES.join(', ')}`
  throw new AppError('validation_failed', { errors: { 'metadata.sandboxFault': names } })
}

function problemOfMetadata(metadata: object): string | null {
  let keys = 0
  for (const { isElement, value, depth } of walk(metadata)) {
    if (depth >= DEPTH_MAX && typeof value === 'object' && value !== null)
      return translate('en', 'errors.metadata.deep', { levels: DEPTH_MAX })
    if (!isElement && ++keys > METADATA_KEYS_MAX)
      return translate('en', 'errors.metadata.keys', { keys: METADATA_KEYS_MAX })
  }
  return Buffer.byteLength(JSON.stringify(metadata)) > BYTES_MAX
    ? translate('en', 'errors.metadata.large', { bytes: BYTES_MAX })
    : null
}
