# make help lists what there is. Everything that is installed goes into .tools/ of this checkout.
MAKEFLAGS += --warn-undefined-variables
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help
SHELL := bash
.SHELLFLAGS := -euo pipefail -c

TOOLS := $(CURDIR)/.tools
GOLANGCI := $(TOOLS)/bin/golangci-lint
GOFUMPT := $(TOOLS)/bin/gofumpt
GOLANGCI_VERSION := v2.15.0
GOFUMPT_VERSION := v0.12.0

# The published schemas, for the tests that compare ours with them; those skip without.
SPEC := $(wildcard $(CURDIR)/../shared/spec)
export PEERWRIGHT_SPEC ?= $(SPEC)

.PHONY: help
help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | sort | expand -t 16

.PHONY: build
build: ## build the binary into bin/
	go build -trimpath -o bin/peerwright ./cmd/peerwright

.PHONY: report
report: ## check the built-in peers
	go run ./cmd/peerwright report

.PHONY: test
test: tools peers check unit ## everything: install, vet, lint, format, unit and race tests, live peers

.PHONY: check
check: vet lint format ## what needs no test to run

.PHONY: vet
vet: ## go vet
	go vet ./...

.PHONY: lint
lint: $(GOLANGCI) ## golangci-lint
	$(GOLANGCI) run ./...

.PHONY: format
format: $(GOFUMPT) ## fail where gofumpt would change a file
	@out=$$($(GOFUMPT) -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "not formatted:"; echo "$$out"; exit 1; fi

.PHONY: unit
unit: ## all Go tests under the race detector, live peers included
	PEERWRIGHT_LIVE=1 scripts/test.sh

.PHONY: fuzz
fuzz: ## each fuzz test for FUZZTIME (30s)
	scripts/fuzz.sh

.PHONY: bench
bench: peers ## the benchmarks, beside a2a-bridge itself where it can be installed
	PEERWRIGHT_LIVE=1 go test -run '^$$' -bench . -benchmem $$(go list ./... | grep -v /peers/)

.PHONY: soak
soak: ## a thousand streams through the bridge for SOAK (1m)
	PEERWRIGHT_SOAK=$${SOAK:-1m} go test -count=1 -v -timeout 30m -run TestSoak ./bridge/live

.PHONY: golden
golden: ## rewrite the golden files from what the code does now; read the difference
	PEERWRIGHT_LIVE=1 go test ./... -update

.PHONY: tools
tools: $(GOLANGCI) $(GOFUMPT) ## the linters, into .tools/bin

$(GOLANGCI):
	GOBIN=$(TOOLS)/bin go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)

$(GOFUMPT):
	GOBIN=$(TOOLS)/bin go install mvdan.cc/gofumpt@$(GOFUMPT_VERSION)

.PHONY: peers
peers: ## the live peers on the official SDKs, into .tools
	scripts/install-peers.sh

.PHONY: clean
clean: ## remove what was built and installed
	rm -rf bin .tools
