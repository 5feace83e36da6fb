import type { Response } from 'express'
import type { Context } from '../context.ts'
import { AppError } from '../errors.ts'
import { say } from '../messages/say.ts'

const RETRY_AFTER_SECONDS = 3

/**
 * Waits until a checked request may start. In the sandbox, beside a busy live world, requests wait for each other. `caller`: requests
 * of the same caller wait in one queue. Returns the function that ends the request. @throws AppError rate_limited if too many wait
 */
export async function enterWorld(
  { share }: Context,
  response: Response,
  caller: string,
): Promise<() => void> {
  const leave = await share.enter(caller, () => response.destroyed)
  if (!leave)
    throw new AppError('rate_limited', {
      message: say('en', 'errors.sandbox.busy'),
      hint: say('en', 'errors.sandbox.busyHint'),
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      about: { limit: 'sandbox share' },
    })
  return leave
}
