import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const FILE = fileURLToPath(new URL('quiet-memory.ts', import.meta.url))
const MB = 1024 * 1024

/** A process that fills 160 MB in small objects, lets go of them, and reports its memory while it is busy and while it is quiet. */
const PROGRAM = `
  import { returnMemoryWhenQuiet } from ${JSON.stringify(FILE)}
  import { setTimeout as sleep } from 'node:timers/promises'
  const rss = () => process.memoryUsage.rss()
  const { stop } = returnMemoryWhenQuiet(200)
  let held = Array.from({ length: 2_000_000 }, (_, index) => ({ index, text: 'x' + index }))
  const full = rss()
  held = null
  for (const end = performance.now() + 1_000; performance.now() < end; await sleep(1)) for (const stay = performance.now() + 20; performance.now() < stay; );
  const busy = rss()
  for (let waited = 0; waited < 50 && rss() > busy / 2; waited++) await sleep(100)
  console.log(JSON.stringify({ full, busy, quiet: rss() }))
  stop()
`

test('memory of a rush goes back to the machine in a quiet moment, and not before', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', PROGRAM])
  const { full, busy, quiet } = JSON.parse(stdout)
  expect(full).toBeGreaterThan(150 * MB)
  expect(busy).toBeGreaterThan(full / 2)
  expect(quiet).toBeLessThan(busy / 2)
})
