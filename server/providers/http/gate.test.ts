/** Requests that wait for a slot of their account, and the trial request of an open breaker. */
import { describe, expect, test } from 'vitest'
import { createGate } from './gate.ts'
import type { GateLane } from './slots.ts'

const CLASS = { free: 0, queue: 2 }
const LIMITS = {
  concurrency: 2,
  classes: { money: CLASS, creation: CLASS, buyer: CLASS, schedule: CLASS, stranger: CLASS },
  failures: 2,
  fewFailures: 2,
  failingMs: 1_000,
  openMs: 100,
  openMaxMs: 400,
}
const FOR_EVER = new AbortController().signal

function openGate(limits = LIMITS) {
  let nowMs = 0
  const changes: string[] = []
  const gate = createGate(
    limits,
    () => nowMs,
    (state) => changes.push(state),
  )
  const started: string[] = []
  const enter = async (
    name: string,
    { signal = FOR_EVER, lane = 'buyer' as GateLane, isRead = true } = {},
  ) => {
    const leave = await gate.enter(signal, lane, { isRead })
    started.push(name)
    return leave
  }
  return { gate, changes, started, enter, wait: (ms: number) => (nowMs += ms) }
}

/** Lets everything run that can run now. */
const settle = () => new Promise((resolve) => setImmediate(resolve))

describe('a request that waits', () => {
  test('fails when its time is over, although no slot becomes free, and frees its place', async () => {
    const { enter, started } = openGate()
    await Promise.all([enter('a'), enter('b')])
    const call = new AbortController()
    const late = enter('late', { signal: call.signal })
    const next = enter('next')
    next.catch(() => {})
    await expect(enter('refused')).rejects.toThrow('too many requests')
    call.abort()
    await expect(late).rejects.toMatchObject({
      message: expect.stringContaining('waited too long'),
      sent: false,
    })
    const other = enter('other').catch(() => 'refused')
    expect(await Promise.race([other, settle().then(() => 'waits')])).toBe('waits')
    expect(started).toEqual(['a', 'b'])
  })

  test('of a low class starts after those of higher ones that came later', async () => {
    const { enter, started } = openGate()
    const [a, b] = await Promise.all([enter('a'), enter('b')])
    enter('stranger', { lane: 'stranger' })
    enter('refund', { lane: 'money' })
    await settle()
    a('answered')
    await settle()
    b('answered')
    await settle()
    expect(started).toEqual(['a', 'b', 'refund', 'stranger'])
  })

  test('is not sent if the breaker opens meanwhile', async () => {
    const { enter } = openGate()
    const running = await Promise.all([enter('a'), enter('b')])
    const waiting = enter('c')
    for (const leave of running) leave('failed')
    await expect(waiting).rejects.toMatchObject({
      message: expect.stringContaining('did not answer'),
      sent: false,
    })
  })
})

describe('the trial request of an open breaker', () => {
  async function openBreaker() {
    const opened = openGate()
    for (let failures = 0; failures < LIMITS.failures; failures++) (await opened.enter('down'))('failed')
    opened.wait(LIMITS.openMs)
    return opened
  }

  test('is the only one: others fail at once and do not wait for it', async () => {
    const { enter, changes } = await openBreaker()
    const trial = await enter('trial')
    await expect(enter('other')).rejects.toThrow('did not answer')
    trial('answered')
    expect(changes).toEqual(['open', 'closed'])
    await enter('other')
  })

  test('leaves the breaker open if it says nothing about the provider, and another trial follows', async () => {
    const { gate, enter, changes } = await openBreaker()
    const trial = await enter('trial')
    trial('ignored')
    expect([gate.isOpen(), changes]).toEqual([true, ['open']])
    const second = await enter('second trial')
    second('answered')
    expect([gate.isOpen(), changes]).toEqual([false, ['open', 'closed']])
  })
})

describe('money that is moved while the breaker is open', () => {
  const refund = { lane: 'money', isRead: false } as const

  test('waits for a question to be the trial', async () => {
    const { enter, wait, changes } = openGate()
    for (let failures = 0; failures < LIMITS.failures; failures++) (await enter('down'))('failed')
    wait(LIMITS.openMs)
    await expect(enter('refund', refund)).rejects.toMatchObject({ sent: false })
    ;(await enter('what came of it', { lane: 'money' }))('answered')
    ;(await enter('refund', refund))('answered')
    expect(changes).toEqual(['open', 'closed'])
  })

  test('is the trial itself if no question comes', async () => {
    const { enter, wait, changes } = openGate()
    for (let failures = 0; failures < LIMITS.failures; failures++) (await enter('down'))('failed')
    wait(LIMITS.openMs + LIMITS.openMaxMs)
    ;(await enter('refund', refund))('answered')
    expect(changes).toEqual(['open', 'closed'])
  })
})

describe('the breaker of an account that is hardly used', () => {
  const HARDLY = { ...LIMITS, failures: 10, fewFailures: 3, failingMs: 20_000 }

  test('opens after few failures, if they last, and each failed trial is reported', async () => {
    const { enter, changes, wait } = openGate(HARDLY)
    for (let failures = 0; failures < 4; failures++) (await enter('down'))('failed')
    expect(changes).toEqual([])
    wait(HARDLY.failingMs)
    ;(await enter('down'))('failed')
    expect(changes).toEqual(['open'])
    wait(HARDLY.openMs)
    ;(await enter('trial'))('failed')
    expect(changes).toEqual(['open', 'kept_open'])
  })

  test('stays closed if an answer came between', async () => {
    const { enter, changes, wait } = openGate(HARDLY)
    for (const outcome of ['failed', 'failed', 'answered', 'failed', 'failed'] as const) {
      ;(await enter('x'))(outcome)
      wait(HARDLY.failingMs)
    }
    expect(changes).toEqual([])
  })
})
