/** Runs the scenarios of WooCommerce alone. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { setPlatformScene } from '../scene.ts'
import { HARD_CASES } from './hard-cases.ts'
import { type Own, ownOf } from './own.ts'
import { OWN } from './own-scenarios.ts'
import { type WooCommerceShop, woocommerce } from './woocommerce.ts'

const COMPLAINT = /PHP (?:Warning|Notice|Deprecated|Fatal error|Parse error)/

/** `install`: the folder that each run takes a copy of. */
export function runOwnScenarios(install: string): void {
  const platform = woocommerce('classic')
  let own: Own
  beforeAll(async () => {
    let shop: WooCommerceShop | undefined
    const open: typeof platform.open = async (opening) => {
      shop = await platform.open(opening)
      return shop
    }
    const scene = await setPlatformScene({ ...platform, open }, install)
    if (shop) own = ownOf(scene, shop)
  })
  beforeEach(() => own.forgetMails())
  afterEach(async ({ task }) => {
    const { gate, proxy } = own.scene
    gate.copies = 1
    for (const undo of [proxy.answerWith, proxy.slowDown]) undo(null)
    await proxy.setAway(false)
    await own.scene.reopenGate()
    await own.shop.act({ do: 'fault', fault: '' })
    if (task.result?.state === 'fail') console.info(own.shop.output().slice(-6_000))
  })
  afterAll(() => own?.scene.close())

  for (const { name, run } of [...HARD_CASES, ...OWN]) test(name, () => run(own))
  test('PHP has logged nothing against the plug-in during all this', () => {
    const lines = own.shop.output().split('\n')
    expect(lines.filter((line) => COMPLAINT.test(line) && line.includes('/plugins/kassa/'))).toEqual([])
  })
}
