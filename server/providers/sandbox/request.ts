/** One request to the simulated bank's API, with the account's credentials. */
import { z } from 'zod'
import { expectMode } from '../driver/mode.ts'
import { AccountRefusedError, RetryLaterError } from '../driver/refusal.ts'
import type { ProviderCall } from '../driver.ts'
import type { SandboxSettings } from './settings.ts'

export type SandboxCall = ProviderCall<z.infer<typeof SandboxSettings>>

type BankRequest = { method: string; path: string; body?: object; key?: string }

const Answer = z.looseObject({ mode: z.enum(['test', 'live']) })

/**
 * Returns null if the bank has no such order or card. @throws WrongModeError for an object of the other mode;
 * RetryLaterError if the bank is asked too often; Error for everything that is not a response of the bank
 */
export async function askBank(call: SandboxCall, request: BankRequest): Promise<unknown> {
  const answer = await askAnyMode(call, request)
  if (answer !== null) expectMode(call, answer.mode)
  return answer
}

/** Like askBank, but also returns the mode. */
export async function askAnyMode(
  call: SandboxCall,
  { method, path, body, key }: BankRequest,
): Promise<z.infer<typeof Answer> | null> {
  const { bankUrl, customer, secret } = accessOf(call)
  const { status, text, headers } = await call.http.request({
    method,
    url: `${bankUrl}/api/${path}`,
    headers: {
      authorization: `Basic ${Buffer.from(`${customer}:${secret}`).toString('base64')}`,
      ...(body && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    },
    ...(body && { body: JSON.stringify(body) }),
  })
  if (status === 404) return null
  if (status === 401)
    throw new AccountRefusedError('credentials', 'the bank refuses the customer number or its secret')
  if (status === 429) throw new RetryLaterError('the bank answered 429', headers)
  if (status !== 200) throw new Error(`the bank answered ${status}`)
  return Answer.parse(JSON.parse(text))
}

/** @throws Error that names the setting that is not set */
export function accessOf({ settings }: Pick<SandboxCall, 'settings'>): {
  bankUrl: string
  customer: string
  secret: string
} {
  const { ADDRESS: bankUrl, CUSTOMER: customer, SECRET: secret } = settings
  if (bankUrl === undefined) throw new Error('ADDRESS is not set')
  if (secret === undefined) throw new Error(`SECRET is not set for the bank's customer ${customer}`)
  return { bankUrl, customer, secret }
}
