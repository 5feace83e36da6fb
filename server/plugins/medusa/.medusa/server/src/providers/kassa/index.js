const { ModuleProvider, Modules } = require('@medusajs/framework/utils')
const { KassaProvider } = require('./service')

exports.__esModule = true
exports.default = ModuleProvider(Modules.PAYMENT, { services: [KassaProvider] })
