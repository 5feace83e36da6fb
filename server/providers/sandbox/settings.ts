/** The settings of an account at the simulated bank. */
import { z } from 'zod'
import { FAULT_NAMES } from '../../contract/faults.ts'
import { RENEWALS_ENABLED, workSettings } from '../driver/settings.ts'

export const SandboxSettings = z.object({
  CUSTOMER: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$/, {
      error: 'must have 1 to 64 letters, digits, dots and dashes',
    })
    .default('kassa')
    .meta({ takes: 'letters, digits, dots and dashes, at most 64' })
    .describe(
      'The customer number at the simulated bank. Each customer has separate orders and books there.',
    ),
  SECRET: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ takes: 'text. A text that starts with `live_` counts as a credential for real money' })
    .describe("The customer's secret at the simulated bank. The customer `kassa` has a built-in secret."),
  ADDRESS: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({ takes: 'a web address' })
    .describe(
      "The simulated bank's address. The default is the bank that this service runs itself, below `BASE_URL`, or on this machine if `BASE_URL` is not set. A worker (`PROCESS=worker`) calls the bank at the same address, so it must be able to reach it.",
    ),
  ...workSettings(RENEWALS_ENABLED),
  FAULT: z
    .enum(FAULT_NAMES)
    .optional()
    .describe('The fault that the simulated bank plays for each payment without `metadata.sandboxFault`.'),
})
