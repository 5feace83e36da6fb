/** The header Prefer (RFC 7240) with `wait`: the response waits until its operation is decided. */
import type { Request, Response } from 'express'
import type { Context, Worlds } from '../context.ts'
import type { OperationResponse } from '../contract/operation.ts'
import { endWaits, waitForResponse } from '../payments/operations/look-up.ts'
import { listWorlds } from '../worlds.ts'

const SECONDS_MAX = 10

/** Returns how long the request prefers to wait, in seconds. Null for no such wish, and for one that is ignored. */
export function preferredWait(header: string | undefined): number | null {
  const wishes = (header ?? '').split(',').map((each) => each.trim())
  const wish = wishes.find((each) => /^wait(\s*=|\s*;|$)/i.test(each))
  const [, digits] = /^wait\s*=\s*"?(\d{1,4})"?(?:\s*;.*)?$/i.exec(wish ?? '') ?? []
  const seconds = Number(digits ?? Number.NaN)
  return Number.isInteger(seconds) && seconds <= SECONDS_MAX ? seconds : null
}

/** Waits if the request prefers it. The response says in `Preference-Applied` whether it was done. */
export async function waitAsPreferred(
  ctx: Context,
  merchantId: string,
  answer: OperationResponse,
  { request, response }: { request: Request; response: Response },
): Promise<OperationResponse> {
  const { prefer } = request.headers
  const seconds = preferredWait(Array.isArray(prefer) ? prefer.join(',') : prefer)
  if (seconds === null) return answer
  const gone = new AbortController()
  const leave = () => gone.abort()
  response.on('close', leave)
  try {
    const wait = { ms: seconds * 1_000, gone: gone.signal }
    const waited = await waitForResponse(ctx, merchantId, answer, wait)
    if (waited.isKept) response.setHeader('Preference-Applied', `wait=${seconds}`)
    return waited.answer
  } finally {
    response.off('close', leave)
  }
}

/** The process ends: what waits is answered as it is now. */
export function stopWaiting(worlds: Worlds): void {
  for (const each of listWorlds(worlds)) endWaits(each)
}
