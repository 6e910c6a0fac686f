// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>

#include "core.h"


struct nic *nics[NICS_MAX];
u32 nic_count;

/* Bounds of the section that NIC_MODEL() fills. */
extern const struct nic_ops *const __start_nic_models[];
extern const struct nic_ops *const __stop_nic_models[];

const struct nic_ops *nic_model(const char *name, size_t len)
{
	const struct nic_ops *const *m;

	for (m = __start_nic_models; m < __stop_nic_models; m++)
		if (strlen((*m)->name) == len && !strncmp((*m)->name, name, len))
			return *m;
	return NULL;
}

void nic_list_models(FILE *out)
{
	const struct nic_ops *const *m;

	for (m = __start_nic_models; m < __stop_nic_models; m++)
		fprintf(out, "  %s\n%s", (*m)->name,
			(*m)->help ? (*m)->help : "");
}

struct nic *nic_by_name(const char *name)
{
	u32 i;

	for (i = 0; i < nic_count; i++)
		if (!strcmp(nics[i]->name, name))
			return nics[i];
	return NULL;
}

void nic_reset(struct nic *nic, enum nic_reset_kind kind)
{
	if (kind != RESET_START)
		nic->stats.resets++;
	nic_log(nic, LOG_DEBUG, "reset, kind %d", kind);
	if (kind == RESET_BUS || kind == RESET_CLIENT) {
		tx_flush(nic, TX_ALL_QUEUES);
		irq_reset(nic);
		pci_config_reset(nic);
	}
	if (kind == RESET_CLIENT) {
		dma_exit(nic);
		dma_init(nic);
		irq_exit(nic);
		irq_init(nic);
	}
	if (nic->ops->reset)
		nic->ops->reset(nic, kind);
}

void nic_free(struct nic *nic)
{
	if (!nic)
		return;
	vfu_close(nic);
	tx_exit(nic);
	if (nic->priv && nic->ops->teardown)
		nic->ops->teardown(nic);
	irq_exit(nic);
	dma_exit(nic);
	pci_config_exit(nic);
	free(nic->priv);
	free(nic);
}

struct nic *nic_new(const struct nic_ops *ops, struct optset *o, u32 port,
		    u32 ports)
{
	struct nic *nic = calloc(1, sizeof(*nic));

	if (!nic)
		return NULL;
	nic->ops = ops;
	nic->id = nic_count;
	nic->port = port;
	nic->ports = ports;
	nic->name[0] = (char)('a' + nic->id);
	/* Locally administered; "nics" and the port. */
	memcpy(nic->mac, (const u8[]) { 0x02, 'n', 'i', 'c', 's',
					(u8)(nic->id + 1) }, 6);
	nic->speed_mbps = 1000;
	if (opt_s64(o, "drift", &nic->drift_ppb, -DRIFT_MAX_PPB, DRIFT_MAX_PPB))
		goto fail;
	phc_init(&nic->phc, mono_now(), 1, 1, 64, nic->drift_ppb);
	nic->priv = calloc(1, ops->priv_size ? ops->priv_size : 1);
	if (!nic->priv || tx_init(nic) || dma_init(nic))
		goto fail;
	if (ops->init(nic, o) || pci_config_init(nic) || irq_init(nic))
		goto fail;
	nic_reset(nic, RESET_START);
	return nic;
fail:
	nic_free(nic);
	return NULL;
}

static int create_ports(const struct nic_ops *ops, const char *spec,
			struct optset *o)
{
	u32 ports = 1, i;
	int err;

	err = opt_u32(o, "ports", &ports, 1, ops->max_ports ? ops->max_ports : 2);
	if (err)
		return err;
	for (i = 0; i < ports; i++) {
		if (nic_count == NICS_MAX) {
			fprintf(stderr, "nicsim: more than %d ports\n", NICS_MAX);
			return -ENOSPC;
		}
		nics[nic_count] = nic_new(ops, o, i, ports);
		if (!nics[nic_count]) {
			fprintf(stderr, "nicsim: --nic %s: port %u did not start\n",
				spec, i);
			return -EINVAL;
		}
		pcap_port(nic_count, nics[nic_count]->name);
		nic_count++;
	}
	if (opt_unused(o)) {
		fprintf(stderr, "nicsim: --nic %s: no option %s; known: ports drift and\n%s",
			spec, opt_unused(o), ops->help ? ops->help : "");
		return -EINVAL;
	}
	return 0;
}

int nic_create(const char *spec)
{
	size_t len = strcspn(spec, ",");
	const struct nic_ops *ops = nic_model(spec, len);
	struct optset *o;
	int err;

	if (!ops) {
		fprintf(stderr, "nicsim: --nic %s: no such model; there are:\n",
			spec);
		nic_list_models(stderr);
		return -EINVAL;
	}
	o = opt_parse(spec + len);
	if (!o)
		return -EINVAL;
	err = create_ports(ops, spec, o);
	opt_free(o);
	return err;
}

void nic_destroy_all(void)
{
	while (nic_count) {
		nic_free(nics[--nic_count]);
		nics[nic_count] = NULL;
	}
}
