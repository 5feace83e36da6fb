/** The payment statuses as a Mermaid diagram in the README, made from the table in payments/status.ts. */
import { readFile } from 'node:fs/promises'
import { PAYMENT_STATUSES } from '../../contract/payment.ts'
import { canMove } from '../../payments/status.ts'
import { CAUSES } from '../../storage/payments/payment-changes.ts'

export const README = new URL('../../README.md', import.meta.url)
const BLOCK = /```mermaid\nstateDiagram-v2\n[\s\S]*?```/

/** Returns the README with the diagram of the present table. */
export async function withStatuses(): Promise<string> {
  const changes = PAYMENT_STATUSES.flatMap((from) =>
    PAYMENT_STATUSES.flatMap((to) => {
      const causes = CAUSES.filter((cause) => canMove(from, to, cause))
      if (from === to || causes.length === 0) return []
      const by = causes.length === CAUSES.length ? '' : `: ${causes.join(', ')}`
      return [`  ${from} --> ${to}${by}`]
    }),
  )
  const diagram = `\`\`\`mermaid\nstateDiagram-v2\n  [*] --> created\n${changes.join('\n')}\n\`\`\``
  return (await readFile(README, 'utf8')).replace(BLOCK, diagram)
}
