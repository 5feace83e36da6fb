/**
 * A process dies while it gives back the money of a saving, and another one goes on: before the return was stored, before and after it
 * was sent. The money goes back once. Where nobody can know whether it did, a person decides.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startCrashingKassa } from '../../processes/crashing-kassa.ts'
import { type BindingScene, leftAt, MINUTE_MS, setBindingScene } from './binding-scene.ts'

let scene: BindingScene
beforeAll(async () => {
  scene = await setBindingScene()
})
afterAll(() => scene.close())

describe('a process that dies', () => {
  test.each([
    { at: 'before insert_operation', name: 'bare', isSent: false, left: 0, writes: 1 },
    { at: 'after insert_operation', name: 'bare', isSent: false, left: 0, writes: 1 },
    { at: 'before mark_operation_sent', name: 'bare', isSent: false, left: 0, writes: 1 },
    // Nobody knows whether the request had left, and this bank would do it twice.
    { at: 'after mark_operation_sent', name: 'bare', isSent: false, left: 100, writes: 0 },
    { at: 'after mark_operation_sent', name: 'keyed', isSent: false, left: 0, writes: 1 },
    // The money has gone back, and nothing of that is stored.
    { at: 'before note_saving_money', nth: 3, name: 'bare', isSent: true, left: 0, writes: 1 },
    { at: 'before note_saving_money', nth: 3, name: 'keyed', isSent: true, left: 0, writes: 1 },
    { at: 'before update_operation', nth: 3, name: 'bare', isSent: true, left: 0, writes: 1 },
  ] as const)('$at ($name) is followed by another one: $left left, $writes sent', async (row) => {
    const { at, name, left, writes } = row
    const saving = await scene.open(name)
    saving.bank.pay(saving.number, 'taken')
    const crash = { at, nth: 'nth' in row ? row.nth : 1 }
    const dying = await startCrashingKassa({
      databaseUrl: scene.kassa.databaseUrl,
      bankUrl: '',
      settings: scene.settings,
      crash,
      sweep: 'moneyOperations',
    })
    await scene.back(saving.id, dying.url).catch(() => {})
    await dying.ended
    expect([dying.reached(), saving.writes()]).toEqual([at, row.isSent ? 1 : 0])
    // PostgreSQL may notice the death a moment later.
    await scene.kassa.ctx.db.query('select from sandbox.saved_methods where id = $1 for update', [saving.id])
    await scene.later(5 * MINUTE_MS, 4)
    expect([await scene.statusOf(saving.id), leftAt(saving.order), saving.writes()]).toEqual([
      'active',
      left,
      writes,
    ])
    const status = left === 0 ? 'succeeded' : 'requires_operator_review'
    expect(await scene.returnsOf(saving.id)).toMatchObject([{ status }])
  })
})
