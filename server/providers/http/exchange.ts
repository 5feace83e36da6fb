/** What is logged of a request to a provider and of its response. */
import { redactBody, redactText, redactUrl } from './redact.ts'

/** One request and its response as logged, without secrets and personal data. */
export type Exchange = {
  accountId: string
  /** The payment or saved method of the request. Null for the account itself. */
  about: string | null
  method: string
  url: string
  /** Null if there was no response. `failure` has the reason. */
  status: number | null
  failure: string | null
  durationMs: number
  requestBody: string | null
  responseBody: string | null
}

type Logged = {
  account: { id: string; secrets: readonly string[] }
  about: string | null
  hidesAddresses: boolean
}

/** `text`: the body of the response, null if there was none. */
export function exchangeOf(
  { account: { id: accountId, secrets }, about, hidesAddresses }: Logged,
  { method, url, body }: { method: string; url: string; body?: string | Buffer },
  {
    text,
    failure,
    ...outcome
  }: Pick<Exchange, 'status' | 'failure' | 'durationMs'> & { text: string | null },
): Exchange {
  return {
    ...outcome,
    accountId,
    about,
    method,
    url: redactUrl(url, secrets),
    failure: failure && redactText(failure, secrets),
    requestBody: body === undefined ? null : redactBody(body, secrets),
    responseBody: text === null ? null : redactBody(text, secrets, { hidesAddresses }),
  }
}
