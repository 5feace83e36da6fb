import { startMemoryRegister } from '../../../testing/providers/memory-register.ts'
import { describeRegister } from '../driver.suite.ts'
import { SandboxFiscalSettings, sandboxFiscalDriver } from './driver.ts'

describeRegister('sandbox', {
  driver: sandboxFiscalDriver,
  async start() {
    const register = await startMemoryRegister()
    return {
      ...register,
      settings: (origin, credentials) =>
        SandboxFiscalSettings.parse({
          ADDRESS: origin,
          // Here the secret of another register is a wrong one.
          SECRET: register.secretOf(credentials === 'right' ? 'mer_suite/till 1' : 'mer_other/till 1'),
        }),
    }
  },
})
