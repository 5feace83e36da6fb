/** The rows of the conformance suite about callbacks. */
import { expect } from 'vitest'
import type { CheckoutRequest, InboundEvent, RawInbound } from '../../providers/driver.ts'
import type { CausedFault, DriverBench } from './driver-bench.ts'
import { writeOf } from './driver-calls.ts'
import type { Scenes } from './driver-scenes.ts'

type ListenCase<Settings> = {
  name: string
  isThere(bench: DriverBench<Settings>): boolean
  run(scenes: Scenes<Settings>): Promise<void>
}

export function listenCases<Settings>(): ListenCase<Settings>[] {
  const listens = ({ driver }: DriverBench<Settings>) => driver.inbound !== undefined
  const signed = (bench: DriverBench<Settings>) =>
    listens(bench) && bench.without?.signed_callbacks === undefined
  const canCause = (what: CausedFault) => (bench: DriverBench<Settings>) =>
    listens(bench) && bench.without?.[what] === undefined
  return [
    { name: 'genuine', isThere: listens, run: genuine },
    {
      name: 'duplicate',
      isThere: canCause('duplicate_callback'),
      run: (scenes) => several(scenes, 'duplicate_callback'),
    },
    {
      name: 'reversed',
      isThere: canCause('reversed_callbacks'),
      run: (scenes) => several(scenes, 'reversed_callbacks'),
    },
    { name: 'forged', isThere: signed, run: forged },
    { name: 'of another account', isThere: signed, run: foreign },
    { name: 'rubbish', isThere: listens, run: rubbish },
    { name: 'replies', isThere: listens, run: replies },
    {
      name: 'what it reads where nothing could be stored',
      isThere: ({ driver: { inbound, lookUp } }) =>
        inbound !== undefined && (!lookUp || inbound.unheard !== undefined),
      run: unheard,
    },
    {
      name: 'the results of writes that come only in callbacks',
      isThere: ({ driver }) => driver.resultsByCallback !== undefined,
      run: resultsOfWrites,
    },
    {
      name: 'several results in one callback',
      isThere: (bench) => listens(bench) && bench.without?.several_results === undefined,
      run: severalResults,
    },
  ]
}

/** Without a look-up, for a provider that cannot be asked. */
async function payOne<Settings>(
  { attempt, open, simulator }: Scenes<Settings>,
  changes: Partial<CheckoutRequest>,
): Promise<{ reference: string }> {
  const given = attempt(changes)
  await simulator.buyer(await open(given), 'pay')
  return given
}

async function sent<Settings>(scenes: Scenes<Settings>, fault?: CausedFault) {
  const { simulator } = scenes
  // Callbacks of earlier orders arrive first.
  await simulator.advance(10 * simulator.laterMs)
  await simulator.callbacks()
  const order = await payOne(scenes, fault ? (simulator.causeFault(fault) ?? {}) : {})
  await simulator.advance(simulator.laterMs)
  const all = await simulator.callbacks()
  expect(all.length).toBeGreaterThan(0)
  return { order, all }
}

function receive<Settings>(
  { call, driver }: Scenes<Settings>,
  raw: RawInbound,
  credentials: 'right' | 'wrong' = 'right',
): Promise<InboundEvent> {
  const { inbound } = driver
  if (!inbound) throw new Error('the driver takes no callbacks')
  return call((each) => inbound.receive(each, raw), { credentials })
}

async function genuine<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const { order, all } = await sent(scenes)
  for (const raw of all)
    expect(await receive(scenes, raw)).toMatchObject({
      kind: expect.stringMatching(/hint|proof|precheck/),
      reference: order.reference,
    })
}

/** Repeated callbacks in any order must all name the same order, and nothing else. */
async function several<Settings>(scenes: Scenes<Settings>, fault: CausedFault): Promise<void> {
  const { order, all } = await sent(scenes, fault)
  expect(all.length).toBeGreaterThan(1)
  const events = await Promise.all([...all, ...all].map((raw) => receive(scenes, raw)))
  for (const event of events) expect(event).toMatchObject({ reference: order.reference })
}

async function forged<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const { all } = await sent(scenes)
  for (const raw of all) {
    const forgeries: RawInbound[] = [
      { ...raw, body: Buffer.concat([raw.body, Buffer.from(' ')]) },
      { ...raw, headers: {} },
    ]
    for (const forgery of forgeries) {
      const event = await receive(scenes, forgery)
      expect(event.kind).toBe('rejected')
      expect(scenes.driver.inbound?.reply(event, 'refused').status).toBeGreaterThanOrEqual(400)
    }
  }
}

async function foreign<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const { all } = await sent(scenes)
  for (const raw of all) expect((await receive(scenes, raw, 'wrong')).kind).toBe('rejected')
}

async function rubbish<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const bodies = ['', '{', 'null', '[]', '\0\0', 'a=b&c', '<xml/>', 'x'.repeat(256 * 1024)]
  for (const body of bodies)
    for (const method of ['GET', 'POST'] as const) {
      const raw = { method, path: '/callbacks/x', query: { a: '' }, headers: {}, body: Buffer.from(body) }
      expect((await receive(scenes, raw)).kind).toBe('rejected')
    }
}

async function replies<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const { all } = await sent(scenes)
  const [raw] = all
  if (!raw) return
  const event = await receive(scenes, raw)
  const reply = (verdict: 'accepted' | 'refused' | 'not_stored') =>
    scenes.driver.inbound?.reply(event, verdict)
  expect(reply('accepted')?.status).toBe(200)
  expect(reply('not_stored')).not.toEqual(reply('accepted'))
}

/** It is never taken for our acceptance. A provider that cannot be asked does not look at the HTTP status alone. */
async function unheard<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const { all } = await sent(scenes)
  const { inbound } = scenes.driver
  expect(inbound?.unheard).toBeDefined()
  for (const raw of all)
    expect(inbound?.unheard).not.toEqual(inbound?.reply(await receive(scenes, raw), 'accepted'))
}

/**
 * The answer to the write says only that it was taken, and a look-up shows nothing of it. The callback names it by our key or by the id of
 * that answer, and a changed one is no result.
 */
async function resultsOfWrites<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const { driver, simulator, call } = scenes
  const { resultsByCallback = [], inbound } = driver
  if (!inbound) throw new Error('the driver takes no callbacks')
  for (const write of resultsByCallback) {
    const steps = write === 'capture' ? 'two' : 'one'
    const order = await scenes.paid({ steps })
    await simulator.callbacks()
    const given = writeOf(order, 700)
    const answer = await call(async (each) => driver[write]?.(each, given), { steps })
    if (answer?.kind !== 'pending') throw new Error(`the answer is ${answer?.kind}`)
    const { authorizedMinor, capturedMinor, refundedMinor } = order.before
    const found = await call(async (each) => driver.lookUp?.(each, order), { steps })
    expect(found).toMatchObject({ snapshot: { authorizedMinor, capturedMinor, refundedMinor } })
    await simulator.advance(simulator.laterMs)
    const all = await simulator.callbacks()
    const events = await Promise.all(all.map((raw) => receive(scenes, raw)))
    const about = { kind: 'result', write, reference: order.reference, amountMinor: 700, state: 'done' }
    const result = events.findLast((event) => event.kind === 'result')
    expect(result).toMatchObject({ ...about, currency: given.currency })
    const isNamed =
      result?.kind === 'result' && (result.key === given.key || result.id === answer.operationId)
    expect(isNamed).toBe(true)
    for (const raw of all)
      for (const [from, to] of [
        ['700', '900'],
        ['done', 'failed'],
      ] as const) {
        const body = Buffer.from(raw.body.toString().replaceAll(from, to))
        if (!body.equals(raw.body)) expect((await receive(scenes, { ...raw, body })).kind).not.toBe('result')
      }
  }
}

/** Each order of the message is named once, and one reply answers for all of them. */
async function severalResults<Settings>(scenes: Scenes<Settings>): Promise<void> {
  const { simulator, driver } = scenes
  const paid = [await payOne(scenes, {}), await payOne(scenes, {}), await payOne(scenes, {})]
  const references = paid.map(({ reference }) => reference)
  const raw = simulator.callbackAbout?.(references)
  if (!raw) throw new Error('the simulator sends no such callback')
  const event = await receive(scenes, raw)
  if (event.kind !== 'several') throw new Error(`the event is ${event.kind}`)
  expect(event.events.map(({ reference }) => reference)).toEqual(references)
  expect(driver.inbound?.reply(event, 'accepted').status).toBe(200)
  expect(driver.inbound?.reply(event, 'not_stored')).not.toEqual(driver.inbound?.reply(event, 'accepted'))
}
