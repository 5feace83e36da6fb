/** Runs the programs that a release needs: git and npm. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const OUTPUT_MAX_BYTES = 64 * 1024 * 1024
const execute = promisify(execFile)

/**
 * Returns what the program printed. It does not get the caller's NODE_ENV, because with another value the button is built larger, so
 * the same commit would give other bytes. @throws Error with the program's own message
 */
export async function run(program: string, args: string[], cwd: string): Promise<string> {
  const words = ['-u', 'NODE_ENV', program, ...args]
  try {
    return (await execute('env', words, { cwd, maxBuffer: OUTPUT_MAX_BYTES })).stdout
  } catch (error) {
    const { stderr = '', message } = error as Error & { stderr?: string }
    throw new Error(`${program} ${args.join(' ')} failed:\n${stderr.trim() || message}`)
  }
}

/**
 * Returns the last commit and its time. Every file of the archive gets this time.
 * @throws Error if the files differ from the commit, unless `uncommitted` is true
 */
export async function readCommit(root: string, uncommitted: boolean): Promise<{ commit: string; at: Date }> {
  const changed = (await run('git', ['status', '--porcelain'], root)).trim()
  if (changed && !uncommitted)
    throw new Error(
      `These files are not committed. Commit them, or include them with --uncommitted:\n${changed}`,
    )
  const [commit = '', seconds] = (await run('git', ['log', '-1', '--format=%H %ct'], root)).trim().split(' ')
  return { commit, at: new Date(Number(seconds) * 1_000) }
}
