/** A second person for what moves or redirects money. */
import { beforeAll, describe, expect, test } from 'vitest'
import { addOperator, type Person } from '../../audit/people.ts'
import { setCallback } from '../../receivers/receiver.ts'
import { actingOn } from '../../storage/audit/act.ts'
import { readAuditChain } from '../../storage/audit/log.ts'
import { storeLimit } from '../../storage/audit/proposals.ts'
import type { Db } from '../../storage/db.ts'
import { findReceiver } from '../../storage/events/receivers.ts'
import { listPaymentChanges } from '../../storage/payments/payment-changes.ts'
import { findPaymentById } from '../../storage/payments/payments.ts'
import { createSession, sessionRequest } from '../../testing/calls.ts'
import { mortalDb, recordingDb, samplePoints } from '../../testing/mortal-db.ts'
import { operateHere, operateJson } from '../../testing/operator.ts'
import { grantAs, proposeAs } from '../../testing/scene/people.ts'
import { openScene } from '../../testing/scene.ts'
import { doOrPropose, EXPIRES_MS } from './approvals.ts'
import { GRANT_LEASE_MS } from './grantable.ts'
import { refuseProposal } from './refuse.ts'

const { kassa, shop } = await openScene()
let ani: Person
let davit: Person
let gor: Person
const keys: Record<string, string> = {}
let orders = 0
beforeAll(async () => {
  const add = async (name: string, role: 'administrator' | 'operator') => {
    const { operator, key } = await addOperator(kassa.ctx, { name, role })
    keys[name] = key ?? ''
    return operator
  }
  ani = await add('Ani', 'administrator')
  davit = await add('Davit', 'operator')
  gor = await add('Gor', 'operator')
  await storeLimit(kassa.ctx.db, 'USD', 2_000)
})

const run = (name: string, ...args: string[]) =>
  operateJson({ DATABASE_URL: kassa.databaseUrl, KASSA_OPERATOR_KEY: keys[name] ?? '' }, args)
const act = (what = 'approval grant') => ({
  id: `act_${orders++}`,
  who: 'Davit',
  operator: davit.id,
  from: 'host test',
  what,
})
const grant = (person: Person, id: string, now?: Date) => grantAs(kassa.ctx, person, id, now)

async function open(amountMinor = 1900, currency = 'USD'): Promise<string> {
  const terms = { provider: 'manual', amountMinor, currency }
  const body = sessionRequest({ merchantOrderId: `two-${orders++}`, ...terms })
  return (await createSession(kassa.url, shop, { key: `two-${orders}`, body })).body.id
}
const confirm = (id: string, person = ani) =>
  doOrPropose(kassa.ctx, person, 'payment confirm', { paymentId: id, reference: `RF${orders++}` })
const propose = (paymentId: string) =>
  proposeAs(kassa.ctx, ani, 'payment confirm', { paymentId, reference: `RF${orders++}` })
const paid = async (id: string) => {
  const payment = await findPaymentById(kassa.ctx.db, id)
  const changes = await listPaymentChanges(kassa.ctx.db, payment?.merchantId ?? '', id)
  return changes.filter(({ toStatus }) => toStatus === 'paid').map(({ actor }) => actor)
}
const stateOf = async (id: string) =>
  (await kassa.ctx.db.query('select state, sealed from kassa.proposals where id = $1', [id])).rows[0]

test('is not needed until there is a limit, and a limit needs two who may decide', async () => {
  const id = await open(1900, 'EUR')
  expect(await confirm(id)).toHaveProperty('done')
  expect(await paid(id)).toEqual(['Ani'])
  const set = await run('Ani', 'approval', 'limit', '--currency', 'EUR', '--amount', '20.00')
  expect(set).toMatchObject({ code: 0, answer: { currency: 'EUR', limitMinor: 2000 } })
  expect((await run('Davit', 'approval', 'limit', '--currency', 'EUR', '--off')).code).toBe(1)
})

test('is needed above the limit, and not up to it or in another currency', async () => {
  const small = await open(2000)
  expect(await confirm(small)).toHaveProperty('done')
  const id = await open(2001)
  const proposal = await propose(id)
  expect(await paid(id)).toEqual([])
  await expect(grant(ani, proposal)).rejects.toThrow(/yourself/)
  await grant(davit, proposal)
  expect(await paid(id)).toEqual(['Ani, approved by Davit'])
  expect(await stateOf(proposal)).toEqual({ state: 'done', sealed: null })
  await expect(grant(gor, proposal)).rejects.toThrow(/done already/)
  const rows = (await readAuditChain(kassa.ctx.db, 0, 10_000)).filter(({ about }) => about.includes(proposal))
  expect(rows.map(({ after }) => JSON.parse(after ?? '{}').state)).toEqual(['open', 'granted', 'done'])
})

test('of the command line proposes, lists, grants and refuses', async () => {
  const id = await open(5000)
  const words = ['payment', 'resolve', '--payment', id, '--as', 'cancelled', '--why', 'Maria rang']
  const { code, answer } = await run('Ani', ...words)
  expect([code, answer.proposed, answer.approval.about]).toEqual([0, true, `${id} as cancelled, 50.00 USD`])
  const { approvalId } = answer.approval
  const listed = await run('Davit', 'approval', 'list')
  expect(listed.answer.approvals).toMatchObject([
    { approvalId, proposer: 'Ani', state: 'open', what: 'payment resolve' },
  ])
  expect((await run('Ani', 'approval', 'grant', '--approval', approvalId)).answer.error.message).toContain(
    'yourself',
  )
  expect(await run('Davit', 'approval', 'grant', '--approval', approvalId)).toMatchObject({ code: 0 })
  expect((await findPaymentById(kassa.ctx.db, id))?.status).toBe('cancelled')
  const other = await run(
    'Ani',
    'callback',
    'set',
    '--merchant',
    shop.merchantId,
    '--url',
    'https://evil.example/a?k=1',
  )
  expect(other.answer.approval.about).toBe(`${shop.merchantId} https://evil.example/a?...`)
  await run('Gor', 'approval', 'refuse', '--approval', other.answer.approval.approvalId)
  expect((await run('Ani', 'approval', 'list')).answer.approvals).toEqual([])
})

describe('is refused', () => {
  test('if the payment has changed since, and nothing is done later', async () => {
    const id = await open(3000)
    const proposal = await propose(id)
    const other = await propose(id)
    await grant(davit, other)
    await expect(grant(gor, proposal)).rejects.toMatchObject({ code: 'payment_not_eligible' })
    expect(await stateOf(proposal)).toEqual({ state: 'refused', sealed: null })
    expect(await paid(id)).toHaveLength(1)
  })

  test('if the payment has changed since, although it could still be done', async () => {
    const id = await open(3000)
    const proposal = await propose(id)
    const cancelled = { paymentId: id, as: 'cancelled', why: null } as const
    const other = await doOrPropose(kassa.ctx, gor, 'payment resolve', cancelled)
    await grant(davit, 'proposed' in other ? other.proposed.id : '')
    // Late money is accepted for a cancelled payment, but these two have not agreed on that.
    await expect(grant(davit, proposal)).rejects.toMatchObject({ code: 'payment_not_eligible' })
    expect(await paid(id)).toEqual([])
  })

  test('after a day', async () => {
    const id = await open(3000)
    const proposal = await propose(id)
    await expect(grant(davit, proposal, new Date(Date.now() + EXPIRES_MS))).rejects.toThrow(/expired/)
    await grant(davit, proposal, new Date(Date.now() + EXPIRES_MS - 60_000))
    expect(await paid(id)).toHaveLength(1)
  })

  test('by another person, and then nobody can grant it', async () => {
    const proposal = await propose(await open(3000))
    await refuseProposal(kassa.ctx, gor, proposal)
    await expect(grant(davit, proposal)).rejects.toThrow(/refused already/)
  })
})

describe('has it done once', () => {
  test('if two grant it at once', async () => {
    const id = await open(4000)
    const proposal = await propose(id)
    const both = await Promise.allSettled([davit, gor, davit, gor].map((person) => grant(person, proposal)))
    expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    expect(await paid(id)).toHaveLength(1)
    expect(await stateOf(proposal)).toMatchObject({ state: 'done' })
  })

  test('if the process dies before it, and somebody grants it again', async () => {
    const id = await open(4000)
    const proposal = await propose(id)
    const diedAt = new Date(Date.now() - 60_000)
    await kassa.ctx.db.query(
      `update kassa.proposals set state = 'granted', decided_by = $2, decided_at = $3 where id = $1`,
      [proposal, davit.id, diedAt],
    )
    await expect(grant(gor, proposal)).rejects.toMatchObject({ code: 'request_in_progress' })
    await grant(gor, proposal, new Date(diedAt.getTime() + GRANT_LEASE_MS))
    expect(await paid(id)).toEqual(['Ani, approved by Gor'])
  })

  test('if the process dies at any statement, and it is granted again', async () => {
    const grantOn = (db: Db, proposal: string) =>
      operateHere(async () => ({ ...kassa.ctx, db }), ['approval', 'grant', '--approval', proposal], {
        key: keys.Davit ?? '',
      })
    const statements: string[] = []
    const first = await propose(await open(4000))
    expect((await grantOn(recordingDb(kassa.ctx.db, statements), first)).code).toBe(0)
    for (const point of samplePoints(statements, [])) {
      const id = await open(4000)
      const proposal = await propose(id)
      await grantOn(mortalDb(kassa.ctx.db, point), proposal)
      const later = new Date(Date.now() + GRANT_LEASE_MS + 1_000)
      await grant(gor, proposal, later).catch((error: Error) => expect(error.message).toMatch(/done already/))
      expect([point, (await paid(id)).length]).toEqual([point, 1])
      expect(await stateOf(proposal)).toEqual({ state: 'done', sealed: null })
    }
  })

  test('if the process dies after it, and things have changed since', async () => {
    const { merchantId } = shop
    const url = (name: string) => `https://shop.example/${name}`
    const want = async (name: string) => {
      const decided = await doOrPropose(kassa.ctx, ani, 'callback set', { merchantId, url: url(name) })
      return 'proposed' in decided ? decided.proposed.id : ''
    }
    const first = await want('first')
    const diedAt = new Date(Date.now() - GRANT_LEASE_MS)
    await kassa.ctx.db.query(
      `update kassa.proposals set state = 'granted', decided_by = $2, decided_at = $3 where id = $1`,
      [first, davit.id, diedAt],
    )
    const acting = { act: { ...act(), proposal: first }, merchantId, about: first }
    const db = actingOn(kassa.ctx.db, acting, { isRecorded: true })
    await setCallback({ ...kassa.ctx, db }, merchantId, url('first'))
    await grant(davit, await want('second'))
    await expect(grant(gor, first)).rejects.toThrow(/done already/)
    // A process that was only slow does not do it again either.
    await expect(setCallback({ ...kassa.ctx, db }, merchantId, url('first'))).rejects.toMatchObject({
      code: 'KA001',
    })
    expect((await findReceiver(kassa.ctx.db, merchantId))?.url).toBe(url('second'))
  })

  test('if a process that was given up goes on beside another', async () => {
    const url = (name: string) => `https://shop.example/${name}`
    const made = await doOrPropose(kassa.ctx, ani, 'callback set', {
      merchantId: shop.merchantId,
      url: url('one'),
    })
    const id = 'proposed' in made ? made.proposed.id : ''
    const later = new Date(Date.now() + GRANT_LEASE_MS + 1_000)
    // The first claims, and is slower than its lease.
    const both = await Promise.allSettled([grant(davit, id), grant(gor, id, later)])
    expect(both.filter(({ status }) => status === 'fulfilled').length).toBeGreaterThan(0)
    const rows = (await readAuditChain(kassa.ctx.db, 0, 10_000)).filter(
      ({ about, after }) => about.startsWith('receivers ') && after?.includes('/one'),
    )
    expect(rows).toHaveLength(1)
  })
})

test('a call of the API needs no second person', async () => {
  const { status } = await createSession(kassa.url, shop, {
    key: 'api',
    body: sessionRequest({ merchantOrderId: 'api', amountMinor: 900_000 }),
  })
  expect(status).toBe(201)
})
