/** Runs the shared scenarios against one platform, or says in one line why it cannot. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Platform } from './platform.ts'
import { SCENARIOS } from './scenarios.ts'
import { type Scene, setPlatformScene } from './scene.ts'
import type { Scenario } from './steps.ts'

/** `more`: scenarios that not every platform has. */
export function runScenarios(platform: Platform, ...more: Scenario[]): void {
  const found = platform.find()
  if ('missing' in found) {
    describe.skip(found.missing, () => {
      test('the scenarios', () => {})
    })
    console.info(found.missing)
    return
  }
  let scene: Scene
  beforeAll(async () => {
    scene = await setPlatformScene(platform, found.folder)
    console.info(`${scene.platform.version} has started.`)
  })
  afterEach(async ({ task }) => {
    Object.assign(scene.gate, { copies: 1, afterAccepted: null })
    scene.setTwoStep(false)
    for (const undo of [scene.proxy.answerWith, scene.proxy.rewrite, scene.proxy.slowDown]) undo(null)
    await scene.proxy.setAway(false)
    await scene.reopenGate()
    if (task.result?.state === 'fail') console.info(scene.platform.output().slice(-8_000))
  })
  afterAll(() => scene?.close())

  test('a compiler finds nothing against the sources of the plug-in', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'kassa-sources-'))
    expect(await platform.checkSources(folder, found.folder)).toEqual([])
    await rm(folder, { recursive: true })
  })

  for (const { name, needs = [], run } of [...SCENARIOS, ...more]) {
    const gap = needs.map((need) => platform.gaps?.[need]).find((reason) => reason !== undefined)
    if (gap !== undefined) test.skip(`${name}: ${gap}`)
    else test(name, () => run(scene))
  }
}
