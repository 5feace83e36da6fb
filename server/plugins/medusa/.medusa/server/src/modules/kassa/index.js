const { Module } = require('@medusajs/framework/utils')
const { KassaModule } = require('./service')

exports.__esModule = true
exports.default = Module('kassa', { service: KassaModule })
