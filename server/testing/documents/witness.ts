/** Checks every response of the API against the documentation of its endpoint. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import type { z } from 'zod'
import { ErrorResponse, OperationErrorResponse, ValidationErrorResponse } from '../../contract/failure.ts'
import { ERRORS, type ErrorCode } from '../../errors.ts'
import type { Endpoint } from '../../http/endpoint.ts'
import { ENDPOINTS } from '../../http/endpoints/index.ts'
import { nameOfEndpoint } from '../../http/openapi/operations.ts'
import { failuresOf, successesOf } from '../../http/openapi/responses.ts'
import { ROUTE_SETTING_NAMES } from '../../settings/route-table.ts'
import { SETTINGS } from '../../settings/table.ts'
import { findOperatorWords } from '../operator-words.ts'
import { judgeRequest, judgeResponse } from './document-judge.ts'

/** `outcome`: an error code, or a success's status. */
export type Seen = { endpoint: string; outcome: string }
export type Witness = {
  seen: Seen[]
  /** @throws Error that lists the responses that are not documented */
  vouch(): void
}

/** Must be called before the app is added to the server. */
export function witness(server: Server): Witness {
  const seen: Seen[] = []
  const problems = new Set<string>()
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) => {
    const endpoint = endpointOf(request)
    if (!endpoint) return
    const sent = observeBody(request)
    const end = response.end.bind(response)
    response.end = ((...given: Parameters<typeof end>) => {
      const body = request.method === 'HEAD' ? undefined : parse(plain(given[0], response))
      const outcome = String(body?.error?.code ?? response.statusCode)
      seen.push({ endpoint: nameOfEndpoint(endpoint), outcome })
      for (const problem of [
        ...problemsOf(endpoint, response, body),
        ...judge(endpoint, request, { sent, response, body }),
      ])
        problems.add(`${nameOfEndpoint(endpoint)} answered ${outcome}: ${problem}`)
      return end(...given)
    }) as typeof response.end
  })
  return {
    seen,
    vouch() {
      if (problems.size > 0) throw new Error(`Not as documented:\n${[...problems].join('\n')}`)
    },
  }
}

/** Returns the bytes of the request, as the service reads them. Another listener would change when they are read. */
function observeBody(request: IncomingMessage): Buffer[] {
  const sent: Buffer[] = []
  const emit = request.emit.bind(request)
  request.emit = ((name: string, ...given: unknown[]) => {
    if (name === 'data') sent.push(Buffer.from(given[0] as Buffer))
    return emit(name, ...given)
  }) as typeof request.emit
  return sent
}

/** Checks with the OpenAPI document that an accepted request is valid, and that every response is described. */
function judge(
  endpoint: Endpoint,
  request: IncomingMessage,
  { sent, response, body }: { sent: Buffer[]; response: ServerResponse; body: unknown },
): string[] {
  const { statusCode } = response
  // The document describes only the methods that an endpoint accepts.
  if (body === undefined || request.method?.toLowerCase() !== endpoint.method) return []
  const requestFaults = statusCode < 300 ? judgeRequest(endpoint, request, Buffer.concat(sent)) : []
  return [
    ...requestFaults.map((problem) => `the request is accepted, and the document rejects it: ${problem}`),
    ...judgeResponse(endpoint, statusCode, body).map(
      (problem) => `the document does not describe the response: ${problem}`,
    ),
  ]
}

const PLACES = ENDPOINTS.map((endpoint) => ({
  endpoint,
  path: new RegExp(`^${endpoint.path.replaceAll(/:\w+/g, '[^/]+')}$`),
}))

/** Returns the endpoint of a request. For a method that is not allowed, returns any endpoint with the same path. */
function endpointOf({ method, url = '' }: IncomingMessage): Endpoint | undefined {
  const sentPath = url.split('?')[0] ?? ''
  const there = PLACES.filter(({ path }) => path.test(sentPath)).map(({ endpoint }) => endpoint)
  const verb = method === 'HEAD' ? 'get' : method?.toLowerCase()
  return (
    there.find((endpoint) => endpoint.method === verb) ??
    there.find((endpoint) => endpoint.errors.includes('method_not_allowed'))
  )
}

/** Returns the bytes as they were before their compression. */
function plain(chunk: unknown, response: ServerResponse): unknown {
  const coding = response.getHeader('content-encoding')
  if (!Buffer.isBuffer(chunk) || coding === undefined) return chunk
  return coding === 'br' ? brotliDecompressSync(chunk) : gunzipSync(chunk)
}

// biome-ignore lint/suspicious/noExplicitAny: an answer of any shape is judged here
function parse(chunk: unknown): any {
  try {
    return JSON.parse(String(chunk))
  } catch {
    return {}
  }
}

function problemsOf(endpoint: Endpoint, response: ServerResponse, body: unknown): string[] {
  const { statusCode } = response
  const failed = statusCode >= 400
  const missing = mustCarry(endpoint, response, body)
    .filter((name) => !response.hasHeader(name))
    .map((name) => `no header ${name}`)
  if (!failed && !successesOf(endpoint).includes(statusCode)) missing.push('the status is not documented')
  if (body === undefined) return missing
  if (failed)
    missing.push(
      ...codeProblems(endpoint, statusCode, body),
      ...settingProblems(body),
      ...findOperatorWords(textsOf(body)),
    )
  if (!failed) missing.push(...reasonProblems(body))
  const schema = failed ? (FAILURES[statusCode] ?? ErrorResponse) : endpoint.response
  const parsed = schema.safeParse(body)
  if (!parsed.success)
    missing.push(...parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`))
  return missing
}

const FAILURES: Record<number, z.ZodType> = {
  409: OperationErrorResponse,
  422: ValidationErrorResponse,
  501: OperationErrorResponse,
}

function codeProblems(endpoint: Endpoint, status: number, body: unknown): string[] {
  const { code } = (body as { error: { code: ErrorCode } }).error
  if (!failuresOf(endpoint).includes(code)) return ['the code is not documented']
  return ERRORS[code].status === status ? [] : [`the code's status is ${ERRORS[code].status}, not ${status}`]
}

const SETTING_NAMES = [...Object.values(SETTINGS).map(({ name }): string => name), ...ROUTE_SETTING_NAMES]
const A_SETTING = new RegExp(`\\b(${SETTING_NAMES.filter((name) => name.includes('_')).join('|')})\\b`)

/** An error of the API must not name a setting, because the merchant has none. */
function settingProblems(body: unknown): string[] {
  const [named] = A_SETTING.exec(JSON.stringify(body)) ?? []
  return named ? [`an error names the setting ${named}`] : []
}

/** Merchants also read the status reason of an operation. */
function reasonProblems(body: unknown): string[] {
  const { statusReason = '' } = (body as Partial<OperationErrorResponse['error']>).operation ?? {}
  return [...settingProblems(statusReason), ...findOperatorWords(statusReason)]
}

/** Returns the texts of an error. Names of fields are left out, because the caller chose them. */
function textsOf(body: unknown): string {
  const { error, errors = {} } = body as ValidationErrorResponse
  const { message, hint = '', operation } = error as OperationErrorResponse['error'] & { hint?: string }
  return [message, hint, operation?.statusReason ?? '', ...Object.values(errors)].join('\n')
}

function mustCarry(endpoint: Endpoint, { statusCode }: ServerResponse, body: unknown): string[] {
  const { retryable = true } = (body as { error?: { retryable?: boolean } } | undefined)?.error ?? {}
  const names = ['X-Request-Id']
  if (statusCode === 401) names.push('WWW-Authenticate')
  if (statusCode === 405) names.push('Allow')
  if (statusCode === 429 || (statusCode === 503 && retryable)) names.push('Retry-After')
  if (statusCode === 200 && endpoint.creates) names.push('X-Idempotent-Replay')
  return names
}
