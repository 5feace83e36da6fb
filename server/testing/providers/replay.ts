/**
 * Replays a recording: a server gives the recorded responses, and the driver gets what it was given then. It must send the same requests
 * in the same order, and come to the same results.
 */
import { isDeepStrictEqual } from 'node:util'
import { createOutbound } from '../../outbound/outbound.ts'
import type { Recordable, RecordedCall, RecordedExchange } from '../../providers/driver/proof.ts'
import type { Driver, ProviderCall } from '../../providers/driver.ts'
import { createProviderNetwork, type ProviderHttp } from '../../providers/http.ts'
import type { Recording } from '../../recording/folder.ts'
import { ADDRESS } from '../../recording/stand-in.ts'
import { bodyOf } from '../../recording/witness.ts'
import { type Arrival, serveSimulator } from './simulator-server.ts'

const CALL_LIMIT_MS = 60_000
/** Sentences of the driver contain words of a provider, which have stand-ins in a recording. */
const SENTENCES = ['message', 'detail', 'reason']

/** What follows from the digits of a card, which have stand-ins in a recording. */
const OF_CARD = ['brand', 'expiry']

/** The name of a field that is another one, as if the driver had been changed: in what it sends, or in what it reads. */
export type Changes = { ofRequest?: string; ofResponse?: string }

/** `settingsAt`: returns the settings of an account whose provider is at this address. Returns what differs, in sentences. */
export async function replay<Settings>(
  {
    driver,
    recordable,
    changes = {},
  }: { driver: Driver<Settings>; recordable: Recordable; changes?: Changes },
  { calls }: Recording,
  settingsAt: (address: string) => Settings,
): Promise<string[]> {
  const problems: string[] = []
  let waiting: RecordedExchange[] = []
  let place = ''
  const server = await serveSimulator((arrival) => {
    const path = arrival.url.replace(/\?.*/, '')
    const unkept = recordable.unkept?.[path]
    if (unkept) return reply(200, unkept)
    const next = waiting.shift()
    if (!next) {
      problems.push(`${place}: one more request, ${arrival.method} ${arrival.url}`)
      return null
    }
    problems.push(...compareRequest(recordable, next, arrival).map((each) => `${place}: ${each}`))
    return next.status === null
      ? null
      : reply(next.status, withAddress(next.responseBody, server.origin), next.responseHeaders)
  })
  const settings = settingsAt(server.origin)
  const call = callsTo(driver, settings, changes)
  // A callback is signed, so it is not recorded.
  for (const [index, recorded] of calls.filter(({ member }) => member !== 'receive').entries()) {
    place = `call ${index + 1}, ${recorded.member}`
    waiting = [...recorded.exchanges]
    const { result, threw } = await act(driver, call(new Date(recorded.at)), recorded, server.origin)
    if (waiting.length > 0) problems.push(`${place}: ${waiting.length} requests were not sent`)
    if (threw !== recorded.threw) problems.push(`${place}: ${threw ? 'throws' : 'does not throw'}`)
    const [was, is] = [recorded.result, result].map((each) => comparable(withAddress(each, server.origin)))
    if (!threw && !isDeepStrictEqual(is, was))
      problems.push(`${place}: the result is ${JSON.stringify(is)} and was ${JSON.stringify(was)}`)
  }
  await server.close()
  return problems
}

function reply(status: number, body: unknown, headers: Record<string, string> = {}) {
  const text = body === null ? '' : JSON.stringify(body)
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: text }
}

function callsTo<Settings>(driver: Driver<Settings>, settings: Settings, changes: Changes) {
  const network = createProviderNetwork({
    outbound: createOutbound(['loopback'], { anyPort: true }),
    record: () => {},
    onBreaker: () => {},
  })
  const account = { id: 'acc_test_replay', addresses: driver.addresses?.(settings) ?? [], secrets: [] }
  return (now: Date): ProviderCall<Settings> => ({
    settings,
    account: { id: account.id, live: false, cache: network.cacheOf(account) },
    http: changed(network.open(account, AbortSignal.timeout(CALL_LIMIT_MS), null), changes),
    now: () => now,
    log: () => {},
  })
}

/** Renames a field on its way. A driver that sends or reads another name does the same. */
function changed(http: ProviderHttp, { ofRequest, ofResponse }: Changes): ProviderHttp {
  const rename = (text: string, name: string | undefined) => (name ? text.replaceAll(name, `${name}x`) : text)
  return {
    ...http,
    async request({ body, ...request }) {
      const sent = body === undefined ? {} : { body: rename(body.toString(), ofRequest) }
      const response = await http.request({ ...request, ...sent })
      return { ...response, text: rename(response.text, ofResponse) }
    },
  }
}

async function act<Settings>(
  driver: Driver<Settings>,
  call: ProviderCall<Settings>,
  { member, given }: RecordedCall,
  address: string,
): Promise<{ result: unknown; threw: boolean }> {
  const run = driver[member as 'lookUp'] as ((...all: unknown[]) => Promise<unknown>) | undefined
  if (!run) return { result: `the driver has no ${member} any more`, threw: false }
  try {
    return { result: await run(call, ...(revived(withAddress(given, address)) as unknown[])), threw: false }
  } catch {
    return { result: null, threw: true }
  }
}

/** Returns how the request differs: by its method, its path, or the shape of its body. */
function compareRequest(recordable: Recordable, was: RecordedExchange, is: Arrival): string[] {
  const problems: string[] = []
  if (was.method !== is.method || was.path.split('?')[0] !== is.url.split('?')[0])
    return [`the request is ${is.method} ${is.url}, and was ${was.method} ${was.path}`]
  const [wasQuery, isQuery] = [was.path, is.url].map((path) => bodyOf(path.split('?')[1] ?? ''))
  compareShape(recordable, wasQuery, isQuery, 'the query', problems)
  compareShape(recordable, was.requestBody, bodyOf(is.body), 'the body', problems)
  return problems
}

function compareShape(
  recordable: Recordable,
  was: unknown,
  is: unknown,
  where: string,
  problems: string[],
): void {
  if (typeof was !== 'object' || was === null || typeof is !== 'object' || is === null) {
    const isKept = typeof was === 'string' && recordable.words.includes(was)
    if (typeof was !== typeof is || (isKept && was !== is))
      problems.push(`${where} is ${JSON.stringify(is)}, and was ${JSON.stringify(was)}`)
    return
  }
  const [before, after] = [was as Record<string, unknown>, is as Record<string, unknown>]
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const at = `${where}, ${name}`
    if (!Object.hasOwn(before, name)) problems.push(`${at} is new`)
    else if (!Object.hasOwn(after, name)) problems.push(`${at} is gone`)
    else compareShape(recordable, before[name], after[name], at, problems)
  }
}

/** Puts the address of the replay in place of the account's. */
function withAddress(value: unknown, address: string): unknown {
  return value === undefined ? null : JSON.parse(JSON.stringify(value).replaceAll(ADDRESS, address))
}

const DATES = ['expiresAt', 'after', 'before']

/** A snapshot is also called `before`: only a text is a date. */
function revived(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name, each) =>
    DATES.includes(name) && typeof each === 'string' ? new Date(each) : each,
  )
}

/** Without the sentences, the times and what is said about a card, of which the replay has its own. */
function comparable(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name, each) => {
    if (typeof each !== 'string') return each
    if (SENTENCES.includes(name)) return 'a sentence'
    if (OF_CARD.includes(name)) return 'of a card'
    return /^\d{4}-\d\d-\d\dT/.test(each) ? 'a time' : each
  })
}
