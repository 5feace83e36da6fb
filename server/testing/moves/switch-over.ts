/** The end of a move: what its command has printed, and the change of the services to the new database. */
import { expect, vi } from 'vitest'
import type { KassaProcess } from '../harness.ts'
import type { MoveCommand } from './command.ts'
import type { MoveScene } from './scene.ts'

const LIFE = { timeout: 60_000, interval: 5 }

/** Checks the output of a move that has ended. Returns how long it took. */
export async function expectMoved(move: MoveCommand): Promise<number> {
  const { code, stdout, stderr } = await move.ended
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain('1. Set DATABASE_URL to the new address')
  return performance.now() - move.startedMs
}

/** Checks what callers and the operator see of a service on the old database, and goes on with the new one. */
export async function switchOver(scene: MoveScene, url: string, checked: number): Promise<KassaProcess> {
  const old = scene.services[0] as KassaProcess
  expect((await scene.sell(old.url)).id).toBeUndefined()
  await vi.waitFor(async () => {
    const ready = await fetch(`${old.url}/readyz`)
    expect([ready.status, await ready.text()]).toEqual([
      503,
      expect.stringMatching(/everything was moved to .*: set DATABASE_URL to it and restart this process/),
    ])
  }, LIFE)
  expect(old.output()).toContain('after the end of the move set DATABASE_URL to it and restart this process')
  await scene.stopBuyers()
  await scene.killServices()
  scene.databaseUrl = url
  const next = await scene.serve()
  await scene.expectAll(next.url, scene.orders.slice(checked))
  return next
}
