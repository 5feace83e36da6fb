/** The routes between which buyers choose, as an operator sets them. */
import { describe, expect, test } from 'vitest'
import { operateHere } from '../testing/operator.ts'
import { openTwoWorlds } from '../testing/scene/live.ts'
import { openScene } from '../testing/scene.ts'

const { kassa, shop } = await openScene()

async function routes(...args: string[]) {
  const words = ['merchant', 'routes', '--merchant', shop.merchantId, ...args, '--json']
  const { code, stdout, stderr } = await operateHere(async () => kassa.ctx, words)
  return { code, answer: stdout ? JSON.parse(stdout) : null, stderr }
}

test('are set with their labels, shown with their readiness, and removed', async () => {
  const given = [
    '--route',
    'route_a=Card',
    '--label-ru',
    'route_a=Карта',
    '--route',
    'route_e=Wallet',
    '--mark',
    'route_e=wallet',
  ]
  const set = [
    { route: 'route_a', label: 'Card', labels: { ru: 'Карта' }, ready: true },
    { route: 'route_e', label: 'Wallet', mark: 'wallet', ready: false },
  ]
  expect(await routes(...given)).toMatchObject({ code: 0, answer: { routes: set } })
  expect(await routes()).toMatchObject({ code: 0, answer: { routes: set } })
  expect((await routes('--remove')).answer.routes).toEqual([])
})

const worlds = await openTwoWorlds()

describe('merchant copy --to live', () => {
  async function run(...args: string[]) {
    const { kassa: both } = worlds
    const open = async () => ({ sandbox: both.ctx, live: both.live })
    const { code, stdout, stderr } = await operateHere(open, [...args, '--json'])
    expect([code, stderr]).toEqual([0, ''])
    return JSON.parse(stdout)
  }

  test('copies the routes, says which of them have no account, and leaves those of the live world alone', async () => {
    const { merchantId } = worlds.liveShop
    const of = ['--merchant', merchantId]
    const copy = async () => (await run('merchant', 'copy', ...of, '--to', 'live')).routes
    expect(await copy()).toEqual([])
    const given = ['--route', 'manual=Transfer', '--label-ru', 'manual=Перевод', '--route', 'route_a=Card']
    await run('merchant', 'routes', '--sandbox', ...of, ...given)
    const expected = [
      { route: 'manual', label: 'Transfer', labels: { ru: 'Перевод' }, ready: true },
      { route: 'route_a', label: 'Card', ready: false },
    ]
    expect(await copy()).toEqual(expected)
    expect((await run('merchant', 'routes', '--live', ...of)).routes).toEqual(expected)
    await run('merchant', 'routes', '--live', ...of, '--route', 'manual=Bank transfer')
    expect(await copy()).toEqual([])
    expect((await run('merchant', 'routes', '--live', ...of)).routes).toMatchObject([
      { label: 'Bank transfer' },
    ])
  })
})

test.each([
  [['--route', 'route_z=Card']],
  [['--route', 'route_a']],
  [['--route', 'route_a=']],
  [['--route', `route_a=${'x'.repeat(61)}`]],
  [['--route', 'route_a=Card', '--route', 'route_a=Other']],
  [['--route', 'route_a=Card', '--route', 'route_b=Card']],
  [['--route', 'route_a=Card', '--label-ru', 'route_b=Карта']],
  [['--route', 'route_a=Card', '--mark', 'route_b=card']],
  [['--route', 'route_a=Card', '--mark', 'route_a=visa']],
])('%j is refused, and changes nothing', async (given) => {
  expect((await routes(...given)).code).not.toBe(0)
  expect((await routes()).answer.routes).toEqual([])
})
