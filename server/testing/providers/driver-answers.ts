/**
 * The rows of the conformance suite about what an answer to each call means: the account is refused, the request was not taken for
 * the moment, or nobody understands the answer. Whichever member meets it, the core gets the same.
 */
import { expect } from 'vitest'
import { refusalIn, retryLaterIn, unreadableIn } from '../../accounts/refusal.ts'
import { findDoubt } from '../../payments/attempts/doubt.ts'
import type { ProviderCall } from '../../providers/driver.ts'
import { wasNothingSent } from '../../providers/http.ts'
import { MONEY_CALLS, type MoneyCall, REFUSED_CALLS, type RefusedCall } from './driver-bench.ts'
import { writeOf } from './driver-calls.ts'
import type { Row } from './driver-rows.ts'
import type { Scenes } from './driver-scenes.ts'

const RETRY_AFTER_SECONDS = 7
/** Writes that are sent once. A start may be repeated, and is looked up first. */
const WRITES = ['finalize', 'refund', 'capture', 'void', 'chargeToken'] as const
const QUESTIONS: readonly RefusedCall[] = ['lookUp', 'lookUpToken']

export function answerRows<Settings>(): Row<Settings>[] {
  const refused = REFUSED_CALLS.map((member): Row<Settings> => {
    const name = `the account is refused at ${member}`
    return {
      group: 'refusals',
      name,
      needs: 'refused_account',
      member,
      run: (scenes) => refuses(scenes, member),
    }
  })
  const limited = REFUSED_CALLS.filter((member) => !QUESTIONS.includes(member)).map(
    (member): Row<Settings> => ({
      group: 'not taken',
      name: `429 at ${member}`,
      member,
      run: (scenes) => takesNothing(scenes, member),
    }),
  )
  const unsent = MONEY_CALLS.map(
    (member): Row<Settings> => ({
      group: 'not taken',
      name: `the money request of ${member} was certainly not sent`,
      member,
      run: (scenes) => movesNothing(scenes, member),
    }),
  )
  const unread = QUESTIONS.map(
    (member): Row<Settings> => ({
      group: 'poor answers',
      name: `an answer to ${member} that cannot be read`,
      member,
      run: (scenes) => readsNothing(scenes, member),
    }),
  )
  const unexplained = WRITES.map(
    (member): Row<Settings> => ({
      group: 'poor answers',
      name: `nobody can read the answer to ${member}, and every request after it fails`,
      member,
      run: (scenes) => explainsNothing(scenes, member),
    }),
  )
  const lost: Row<Settings> = {
    group: 'poor answers',
    name: 'the answer is "not known" for an order that brought money',
    needs: 'look_up',
    member: 'lookUp',
    run: losesMoney,
  }
  return [...refused, ...limited, ...unsent, ...unread, ...unexplained, lost]
}

type Answer = { kind: string } | undefined
/**
 * `send`: as the core does it. `refusedTimes`: how often the account was refused at it before. Another order and another saving then have
 * another reference, and a write says how often. `moved`: what the provider has recorded that the call could change.
 */
type Prepared = { send(refusedTimes?: number): Promise<Answer>; moved(): Promise<unknown> }

/** The scene of each call, up to the request that is answered. */
async function prepare<Settings>(scenes: Scenes<Settings>, member: RefusedCall): Promise<Prepared> {
  const { driver, attempt, simulator } = scenes
  const steps = member === 'capture' || member === 'void' ? 'two' : 'one'
  const by =
    (act: (call: ProviderCall<Settings>, refusedTimes: number) => Promise<Answer>) =>
    (refusedTimes = 0) =>
      scenes.call((call) => act(call, refusedTimes), { steps })
  const bookOf = (reference: string) => () => simulator.books(reference).catch(() => null)
  switch (member) {
    case 'startCheckout': {
      const given = attempt()
      return {
        send: by(async (each, refused) => driver.startCheckout?.(each, refused > 0 ? attempt() : given)),
        moved: bookOf(given.reference),
      }
    }
    case 'saveToken': {
      const given = attempt()
      return { send: by(async (each) => driver.saveToken?.(each, given)), moved: async () => null }
    }
    case 'lookUp': {
      const order = await scenes.paid()
      return { send: by(async (each) => driver.lookUp?.(each, order)), moved: bookOf(order.reference) }
    }
    case 'finalize':
    case 'withdraw': {
      const given = attempt()
      const opened = await scenes.open(given)
      // Some providers learn of an order from its buyer.
      await simulator.buyer(opened, 'approve').catch(() => {})
      const order = { reference: given.reference, state: opened.state ?? null }
      return {
        send: by(async (each) =>
          member === 'finalize'
            ? driver.finalize?.(each, order, given.reference)
            : driver.withdraw?.(each, order),
        ),
        moved: async () => (await scenes.look(order)).order,
      }
    }
    case 'refund':
    case 'capture':
    case 'void': {
      const order = await scenes.paid({ steps })
      const write = writeOf(order, member === 'void' ? order.attempt.amountMinor : 700)
      return {
        send: by(async (each, refusedTimes) => driver[member]?.(each, { ...write, refusedTimes })),
        moved: bookOf(order.reference),
      }
    }
    default:
      return prepareMethod(scenes, member)
  }
}

/** The scene of a call about a saved method. */
async function prepareMethod<Settings>(
  { driver, attempt, simulator, savedMethod, call, kept }: Scenes<Settings>,
  member: 'chargeToken' | 'lookUpToken' | 'revokeToken',
): Promise<Prepared> {
  const token = await savedMethod()
  const charge = { ...attempt(), token }
  let state: unknown = null
  const send = (refusedTimes = 0) =>
    call(async (each): Promise<Answer> => {
      if (member === 'chargeToken') return driver.chargeToken?.(each, { ...charge, state, refusedTimes })
      return member === 'revokeToken' ? driver.revokeToken?.(each, token) : driver.lookUpToken?.(each, token)
    }).finally(() => {
      state = kept.state ?? state
    })
  return { send, moved: () => simulator.charges(token) }
}

const outcomeOf = (run: () => Promise<Answer>): Promise<unknown> => run().catch((error: unknown) => error)

/** Each member reports the account, never the buyer's card or the order. Nothing was done, and all goes on afterwards. */
async function refuses<Settings>(scenes: Scenes<Settings>, member: RefusedCall): Promise<void> {
  const { send, moved } = await prepare(scenes, member)
  const before = await moved()
  scenes.simulator.causeRefusal?.('account', member)
  const outcome = await outcomeOf(() => send())
  scenes.simulator.causeRefusal?.(null)
  expect(refusalIn(outcome)).toEqual({ refusal: 'account', message: expect.stringMatching(/\w/) })
  expect(outcome).not.toHaveProperty('decline')
  expect(await moved()).toEqual(before)
  expect((await send(1))?.kind).toMatch(/redirect|form|done|pending|found/)
}

/** A burst: every request gets 429. The write was certainly not carried out, and the same write is done once afterwards. */
async function takesNothing<Settings>(scenes: Scenes<Settings>, member: RefusedCall): Promise<void> {
  const { send, moved } = await prepare(scenes, member)
  const before = await moved()
  const headers = { 'retry-after': String(RETRY_AFTER_SECONDS), 'content-type': 'application/json' }
  scenes.proxy.answerWith({ status: 429, headers, body: '{"error":{"type":"invalid_request_error"}}' })
  const outcomes = [await outcomeOf(() => send()), await outcomeOf(() => send())]
  scenes.proxy.answerWith(null)
  for (const outcome of outcomes) {
    expect(retryLaterIn(outcome)).not.toBeNull()
    expect(outcome).toMatchObject({
      retryAfterMs: RETRY_AFTER_SECONDS * 1_000,
      message: expect.stringContaining('429'),
    })
    expect(wasNothingSent(outcome)).toBe(true)
  }
  expect(await moved()).toEqual(before)
  expect((await send())?.kind).toMatch(/redirect|form|done|pending/)
}

/**
 * Everything before it has left, and the connection of the request that moves the money was refused. The write was certainly not
 * carried out, also if there were others before it, and the same write is done once afterwards.
 */
async function movesNothing<Settings>(scenes: Scenes<Settings>, member: RefusedCall): Promise<void> {
  const { send, moved } = await prepare(scenes, member)
  const before = await moved()
  const moneyPath = scenes.simulator.moneyPaths?.[member as MoneyCall]
  scenes.stopping.isMeant = ({ isRead, url, method }) =>
    moneyPath?.test(new URL(url).pathname) ?? !(isRead ?? ['GET', 'HEAD'].includes(method))
  const outcome = await outcomeOf(() => send())
  scenes.stopping.isMeant = null
  expect(wasNothingSent(outcome)).toBe(true)
  expect(await moved()).toEqual(before)
  expect((await send())?.kind).toMatch(/redirect|form|done|pending/)
}

/**
 * The provider has done it, and its answer is none. A driver that then asks gets a refusal, or no answer either. What a later request meets
 * says nothing about the write, so the outcome is unknown.
 */
async function explainsNothing<Settings>(
  scenes: Scenes<Settings>,
  member: (typeof WRITES)[number],
): Promise<void> {
  const { proxy, simulator } = scenes
  for (const status of [429, 401, 403, 500]) {
    const { send } = await prepare(scenes, member)
    let isWritten = false
    const written = simulator.writes.find(({ call }) => call === member)
    proxy.spoilNext('error_500', (method, path, body) => {
      const isIt =
        method === 'POST' && written?.path.test(path) === true && (written.body?.test(body) ?? true)
      isWritten ||= isIt
      return isIt
    })
    proxy.answerWith({ status, body: '{}', isMeant: () => isWritten })
    const outcome = await outcomeOf(() => send())
    proxy.answerWith(null)
    expect(isWritten).toBe(true)
    if (outcome instanceof Error) expect([status, wasNothingSent(outcome)]).toEqual([status, false])
    else expect([status, outcome]).toEqual([status, expect.objectContaining({ kind: 'unknown' })])
  }
}

/**
 * No driver makes an answer without money of it. The core then keeps what it knows, warns a person and goes on asking. Once the provider
 * knows the order again, nothing has happened.
 */
async function losesMoney<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const { driver, simulator } = scenes
  for (const steps of ['one', 'two'] as const) {
    const order = await scenes.paid({ steps })
    const { authorizedMinor, capturedMinor } = order.before
    expect(authorizedMinor).toBe(order.attempt.amountMinor)
    await simulator.forget(order.reference)
    const answer = await scenes.call(async (each) => driver.lookUp?.(each, order), { steps })
    if (!answer || answer.kind === 'unpaid') throw new Error(`the answer is ${answer?.kind}`)
    expect(answer.kind).toMatch(/^(not_found|unavailable)$/)
    const { expiresAt } = order.attempt
    const attempt = {
      state: 'paid',
      authorizedMinor,
      capturedMinor,
      openedAt: simulator.now(),
      expiresAt,
    } as const
    const doubt = findDoubt(simulator.now(), { driver }, { attempt }, { answer, error: null })
    expect(doubt).toContain('has brought money')
  }
}

/** Neither a page of another server nor an answer of another shape says anything about the order. */
async function readsNothing<Settings>(scenes: Scenes<Settings>, member: RefusedCall): Promise<void> {
  const { send } = await prepare(scenes, member)
  // An access token may be needed for the question.
  await send()
  for (const body of ['<h1>We are back soon</h1>', '{}', '[]', '']) {
    scenes.proxy.answerWith({ status: 200, headers: { 'content-type': 'application/json' }, body })
    const outcome = await outcomeOf(() => send())
    scenes.proxy.answerWith(null)
    expect(unreadableIn(outcome), body).toBe(true)
  }
  expect((await send())?.kind).toBe('found')
}
