/**
 * The third part of the conformance suite: recordings of the driver's exchanges, which stand beside it in `recordings/`. The driver must
 * still send the same requests in the same order, and come to the same results.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { readRecording } from '../recording/folder.ts'
import { type Changes, replay } from '../testing/providers/replay.ts'
import type { DriverAssumptions } from './driver/proof.ts'
import type { Driver } from './driver.ts'

/**
 * `settingsAt`: settings of an account whose provider is at this address. `fields`: one of a request, and one of a response. `planted`: texts
 * of the buyer and of the account that the simulator's answers contain.
 */
export type Recorded<Settings> = {
  driver: Driver<Settings>
  proof: DriverAssumptions
  settingsAt(address: string, steps: 'one' | 'two'): Settings
  fields: { sent: string; read: string }
  planted?: readonly string[]
}

export function describeRecordings<Settings>(name: string, recorded: Recorded<Settings>): void {
  const folder = fileURLToPath(new URL(`./${name}/recordings`, import.meta.url))
  const names = existsSync(folder) ? readdirSync(folder) : []
  const { driver, proof, settingsAt, fields, planted = [] } = recorded

  describe(`${name}: recordings`, () => {
    test('there are some', () => expect(names.length).toBeGreaterThan(0))

    const run = async (each: string, changes?: Changes) => {
      const recording = await readRecording(`${folder}/${each}`)
      const steps = recording.steps === 'two' ? 'two' : 'one'
      const as = { driver, recordable: proof.recordable, ...(changes && { changes }) }
      return replay(as, recording, (address) => settingsAt(address, steps))
    }

    test.each(names)('%s: the driver sends the same requests and reads the same results', async (each) => {
      expect(await run(each)).toEqual([])
    })

    test.each(names)('%s: a driver that names a field differently is noticed', async (each) => {
      const sent = await run(each, { ofRequest: fields.sent })
      expect(sent.join('\n')).toContain(`${fields.sent} is gone`)
      const read = await run(each, { ofResponse: fields.read })
      expect(read.length).toBeGreaterThan(0)
    })

    test.each(names)('%s: nothing of the buyer or of the login is in it', (each) => {
      for (const file of readdirSync(`${folder}/${each}`)) {
        const text = readFileSync(`${folder}/${each}/${file}`, 'utf8')
        for (const hidden of planted)
          expect([file, hidden, text.includes(hidden)]).toEqual([file, hidden, false])
      }
    })

    test.each(names)('%s: the exchanges contradict no assumption', async (each) => {
      const { calls } = await readRecording(`${folder}/${each}`)
      const verdicts = proof.assumptions.map(({ id, judge }) => ({ id, ...judge(calls) }))
      expect(verdicts.filter(({ kind }) => kind === 'differs')).toEqual([])
      expect(verdicts.filter(({ kind }) => kind === 'seen').length).toBeGreaterThan(5)
    })
  })
}
