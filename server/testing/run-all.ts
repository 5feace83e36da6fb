/**
 * `npm test`: types, lint, the build, the unit tests and the browser tests. The first three run at the same time, because one alone
 * leaves a processor idle. The tests wait for the build, and for the end of the others: the browser tests for that of the unit tests,
 * and these for that of the types and of lint. Together they take as long, and each test takes longer. The output is printed as if the steps had run one after the other.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { endWithTest } from './processes/child-process.ts'

/** An npm script. The browser tests need the built widget, and so do some unit tests. */
type Step = {
  script: string
  passed: Promise<boolean>
  /** Prints what the step has written, and from now on what it writes. */
  show(): void
  /** The end of what the step has written, where the test runners list what failed. */
  end(): string
}

/** How much of a failed step is printed once more. About 15 failed tests fit in. */
const END_CHARS = 20_000

/** Each step is a process group, because npm does not pass a signal on to the programs behind its script. */
const running = new Set<ChildProcess>()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    for (const { pid } of running) if (pid) process.kill(-pid, signal)
  })

/**
 * Starts a script once all of `before` have passed and `after` has ended. If one of `before` fails, the script does not run and counts
 * as failed.
 */
function start(script: string, before: Step[] = [], after: Step[] = []): Step {
  const unshown: Buffer[] = []
  let isShown = false
  let end = ''
  const print = (text: Buffer) => {
    end = (end + text).slice(-END_CHARS)
    if (isShown) process.stdout.write(text)
    else unshown.push(text)
  }
  return {
    script,
    passed: Promise.all([
      ...before.map(({ passed }) => passed),
      ...after.map(({ passed }) => passed.then(() => true)),
    ]).then((passed) => passed.every(Boolean) && run(script, print)),
    show() {
      isShown = true
      for (const text of unshown.splice(0)) process.stdout.write(text)
    },
    end: () => end,
  }
}

/** Runs an npm script to its end. Returns whether it passed. */
async function run(script: string, print: (text: Buffer) => void): Promise<boolean> {
  const started = performance.now()
  const env = process.stdout.isTTY ? { ...process.env, FORCE_COLOR: '1' } : process.env
  const child = spawn('npm', ['run', script], { env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
  running.add(child)
  endWithTest(child, { signal: 'TERM', isGroup: true })
  for (const stream of [child.stdout, child.stderr]) stream.on('data', print)
  const [code] = await once(child, 'close')
  running.delete(child)
  const seconds = ((performance.now() - started) / 1000).toFixed(0)
  print(Buffer.from(`${script} ${code === 0 ? 'passed' : 'failed'} after ${seconds} s\n`))
  return code === 0
}

const first = [start('build'), start('check'), start('lint')] as const
const [build, ...beside] = first
const unit = start('test:unit', [build], beside)
const steps = [...first, unit, start('test:e2e', [build], [unit])]
const failed: Step[] = []
for (const step of steps) {
  step.show()
  if (!(await step.passed)) failed.push(step)
}
if (failed.length > 0) {
  // A later step may have printed a lot since, and where a log is cut, its end is kept.
  if (failed.at(-1) !== steps.at(-1)) for (const { end } of failed) process.stdout.write(`\n${end()}`)
  console.error(`npm test failed: ${failed.map(({ script }) => script).join(', ')}`)
  process.exitCode = 1
}
