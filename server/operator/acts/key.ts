/**
 * The keys of what operators ask for. A command that is repeated after a crash gets the key that it had, so it does nothing twice.
 * A person who wants the same thing once more gives a key of their own.
 */
import type { Context } from '../../context.ts'
import { scopeOf } from '../../payments/operation-request.ts'
import { findOperationByKey, type OperationRecord } from '../../storage/payments/operations.ts'

export type KeyOf = { merchantId: string; scope: string }

/** Returns the first key `<stem> <number>` that is new, or whose operation `replays`, and that operation. */
export async function keyFor(
  ctx: Context,
  of: KeyOf,
  stem: string,
  replays: (known: OperationRecord) => boolean,
): Promise<{ key: string; known: OperationRecord | null }> {
  for (let number = 1; ; number++) {
    const key = `${stem} ${number}`
    const known = await findKnown(ctx, of, key)
    if (!known || replays(known)) return { key, known }
  }
}

export async function findKnown(
  ctx: Context,
  { merchantId, scope }: KeyOf,
  key: string,
): Promise<OperationRecord | null> {
  return findOperationByKey(ctx.db, { merchantId, scope: scopeOf({ by: '' }, scope), key })
}
