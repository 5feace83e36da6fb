/**
 * Records the calls of a driver: what it was given, what it returned, and its requests with their responses. Private data are replaced
 * before anything is stored, so nothing private ever is.
 */
import type { RecordedCall, RecordedExchange } from '../providers/driver/proof.ts'
import type { Witness } from '../providers/driver/witness.ts'
import type { ProviderHttp, ProviderRequest, ProviderResponse } from '../providers/http.ts'
import { addressFor, type StandIns, standInFor } from './stand-in.ts'

/** `keep` gets each call when it is over. It must not throw. */
export function createWitness(
  of: Omit<StandIns, 'now'>,
  now: () => Date,
  keep: (call: RecordedCall) => Promise<void>,
): Witness {
  return async (member, given, act) => {
    const at = now()
    const standIns = { ...of, now: at }
    const exchanges: RecordedExchange[] = []
    const done = (result: unknown, threw: boolean) =>
      keep({
        at: at.toISOString(),
        member,
        given: standInFor(standIns, given) as unknown[],
        result: standInFor(standIns, result ?? null),
        threw,
        exchanges,
      })
    try {
      const result = await act((http) => listening(standIns, http, exchanges))
      await done(result, false)
      return result
    } catch (error) {
      await done(null, true)
      throw error
    }
  }
}

function listening(of: StandIns, http: ProviderHttp, exchanges: RecordedExchange[]): ProviderHttp {
  return {
    ...http,
    async request(request) {
      const { pathname, search } = new URL(request.url)
      if (of.recordable.unkept?.[pathname]) return http.request(request)
      const exchange = begin(of, request, `${pathname}${search}`)
      exchanges.push(exchange)
      const response = await http.request(request)
      Object.assign(exchange, responseOf(of, response))
      return response
    },
  }
}

function begin(of: StandIns, { method, headers, body }: ProviderRequest, path: string): RecordedExchange {
  return {
    method,
    path: addressFor(of, path),
    requestHeaders: headersOf(of, headers ?? {}),
    requestBody: standInFor(of, bodyOf(body?.toString() ?? '')),
    status: null,
    responseHeaders: {},
    responseBody: null,
  }
}

function responseOf(of: StandIns, { status, headers, text }: ProviderResponse) {
  return {
    status,
    responseHeaders: headersOf(of, headers),
    responseBody: standInFor(of, bodyOf(text)),
  }
}

function headersOf(of: StandIns, headers: Record<string, string>): Record<string, string> {
  const kept = Object.entries(headers)
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => of.recordable.headers.includes(name))
  return standInFor(of, Object.fromEntries(kept)) as Record<string, string>
}

/** Reads a body: JSON, else the pairs of a form, else text. Null for none. */
export function bodyOf(text: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    if (!/^[^\s<>{}=&]+=[^\s<>{}]*$/.test(text)) return text
    return Object.fromEntries(new URLSearchParams(text))
  }
}
