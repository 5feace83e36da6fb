/** Runs lines of a shell inside the namespaces of another process, as after a login of root. */
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const SPACES = ['--mount', '--uts', '--ipc', '--net', '--pid', '--cgroup', '--root', '--wd']
const OUTPUT_MAX_BYTES = 16 * 1024 * 1024

export type Ran = { code: number; output: string }

/** `keeper`: the process whose first child is the first process inside. Returns the code and the whole output of the line. */
export async function runInside(
  keeper: number | undefined,
  line: string,
  { folder = '/root', input = '' }: { folder?: string; input?: string } = {},
): Promise<Ran> {
  const children = await readFile(`/proc/${keeper}/task/${keeper}/children`, 'utf8')
  const [leader = ''] = children.trim().split(' ')
  if (leader === '') throw new Error('the machine has no first process yet')
  const environment = ['HOME=/root', 'LANG=C.UTF-8', `PATH=${PATH}`]
  const words = ['env', '-i', ...environment, 'bash', '-c', `cd ${folder} && { ${line}\n}`]
  return new Promise((resolve) => {
    const child = execFile(
      'nsenter',
      ['--target', leader, ...SPACES, ...words],
      { maxBuffer: OUTPUT_MAX_BYTES },
      (error, stdout, stderr) =>
        resolve({ code: error ? Number(error.code ?? 1) : 0, output: stdout + stderr }),
    )
    child.stdin?.end(input)
  })
}
