import { verifyEvent } from './kassa.mjs'

/** rawBody: the bytes as they came. */
export function readEvent(rawBody, headers) {
  const { ok, event, error } = verifyEvent(rawBody, headers, { secrets: process.env.KASSA_WEBHOOK_SECRET })
  if (!ok) throw new Error(error.message) // Answer 401.
  return event
}
