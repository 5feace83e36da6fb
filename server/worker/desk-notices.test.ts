/** Mails to the operator about new cases that wait for a person. */
import { expect, test } from 'vitest'
import { deskContent } from '../mail/desk-notice.ts'
import { createSession } from '../payments/creation/session.ts'
import { applyStatus } from '../payments/transition.ts'
import { listMails } from '../storage/mails/mails.ts'
import { sessionRequest } from '../testing/calls.ts'
import { decodedHeader, headersOf, partsOf, startMailServer } from '../testing/mail-server.ts'
import { everyPoint, mortalDb, recordingDb } from '../testing/mortal-db.ts'
import { closeAfter, openScene } from '../testing/scene.ts'
import { DESK_NOTICES_AN_HOUR, GATHER_MS, noticeDesk } from './desk-notices.ts'
import { startMails } from './mails.ts'

const HOUR_MS = 3_600_000
let payments = 0
const server = closeAfter(await startMailServer())
const settings = {
  SMTP_URL: server.url,
  MAIL_FROM: 'pay@pay.example',
  OPERATOR_EMAIL: 'operator@pay.example',
}
const { kassa, shop } = await openScene({ settings })

/** A payment of which nobody knows whether it was paid. */
async function openCase(): Promise<string> {
  const { merchantId } = shop
  const key = `case-${payments++}`
  const request = sessionRequest({ merchantOrderId: key, provider: 'manual' })
  const { session } = await createSession(kassa.ctx, { merchantId, idempotencyKey: key, request })
  await applyStatus(kassa.ctx, { merchantId, id: session.id }, { to: 'status_unknown', cause: 'provider' })
  return session.id
}
async function later(ms = 2 * GATHER_MS): Promise<void> {
  kassa.clock.advance(ms)
  await noticeDesk(kassa.ctx)
}
const notices = async () =>
  (await listMails(kassa.ctx.db, { limit: 200 })).filter(({ kind }) => kind === 'desk_cases')
const until = async () =>
  (await notices()).reduce((sum, { notice }) => sum + (notice && 'cases' in notice ? notice.count : 0), 0)

test('a new case is told once, with the command that shows it, and no mail is about nothing', async () => {
  await later()
  expect(await notices()).toEqual([])
  const id = await openCase()
  await later()
  await later()
  expect(await until()).toBe(1)
  const mails = startMails(kassa.ctx)
  await mails.turn()
  await mails.settle()
  await mails.stop()
  const [letter] = server.arrived
  if (!letter) throw new Error('no mail arrived')
  expect(letter.to).toEqual(['operator@pay.example'])
  expect(decodedHeader(headersOf(letter).subject ?? '')).toContain('Payment with an unknown outcome')
  expect(partsOf(letter).text).toContain(`payment show --payment ${id}`)
  expect(partsOf(letter).text).toContain(`http://localhost:3001/sandbox/desk/undecided/${id}`)
})

test.each([
  ['ru', 'Платёж с неизвестным исходом', 'Открыть стол'],
  ['hy', 'Անհայտ արդյունքով վճարում', 'Բացել սեղանը'],
] as const)(
  'a case is told in %s, and nobody far away is led to this machine',
  (operatorLocale, title, open) => {
    const since = kassa.clock.now().toISOString()
    const about = { kind: 'undecided', subject: 'pay_1', merchantName: 'Shop', paymentId: 'pay_1' } as const
    const notice = { cases: [{ ...about, amountMinor: 1_900, currency: 'USD' as const, since }], count: 1 }
    const config = { ...kassa.ctx.config, operatorLocale }
    const here = deskContent({ ...kassa.ctx, config }, notice)
    expect([here.title, here.way?.label]).toEqual([title, open])
    expect(here.way?.address).toContain('http://localhost:3001/')
    const far = { ...kassa.ctx, config, baseUrl: 'https://pay.example' }
    expect(deskContent(far, notice).way).toBeNull()
    const named = { ...far, config: { ...config, consoleBaseUrl: 'https://desk.example' } }
    expect(deskContent(named, notice).way?.address).toBe('https://desk.example/sandbox/desk/undecided/pay_1')
  },
)

test('many cases are one mail, and beyond the mails of an hour they wait and are told together', async () => {
  kassa.clock.advance(HOUR_MS)
  await later()
  const before = [(await notices()).length, await until()] as const
  for (let mail = 0; mail < DESK_NOTICES_AN_HOUR + 3; mail++) {
    await openCase()
    await later()
  }
  expect([(await notices()).length, await until()]).toEqual([
    before[0] + DESK_NOTICES_AN_HOUR,
    before[1] + DESK_NOTICES_AN_HOUR,
  ])
  await later(HOUR_MS)
  expect(await until()).toBe(before[1] + DESK_NOTICES_AN_HOUR + 3)
})

test('two workers at once, and one that dies at any statement, tell each case once', async () => {
  kassa.clock.advance(HOUR_MS)
  const statements: string[] = []
  await openCase()
  kassa.clock.advance(2 * GATHER_MS)
  await noticeDesk({ ...kassa.ctx, db: recordingDb(kassa.ctx.db, statements) })
  expect(statements).toContain('move_desk_told')
  for (const point of everyPoint(statements)) {
    kassa.clock.advance(HOUR_MS)
    const before = await until()
    await openCase()
    kassa.clock.advance(2 * GATHER_MS)
    await noticeDesk({ ...kassa.ctx, db: mortalDb(kassa.ctx.db, point) }).catch(() => {})
    await Promise.all([noticeDesk(kassa.ctx), noticeDesk(kassa.ctx)])
    await noticeDesk(kassa.ctx)
    expect([point, await until()]).toEqual([point, before + 1])
  }
})
