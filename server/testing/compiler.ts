/** Runs the TypeScript compiler of this project on a folder of a test. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const COMPILER = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))
const OUTPUT_BYTES_MAX = 16 * 1024 * 1024

/** Compiles the project of a folder, which has a `tsconfig.json`. Returns the messages. The further lines of a message are indented. */
export async function compileIn(folder: string): Promise<string[]> {
  const options = { cwd: folder, maxBuffer: OUTPUT_BYTES_MAX }
  const output = await run(process.execPath, [COMPILER, '-p', '.'], options).catch(
    (error: { stdout?: string }) => ({
      stdout: error.stdout ?? String(error),
    }),
  )
  return output.stdout.split(/\n(?!\s)/).filter((message) => message.trim() !== '')
}
