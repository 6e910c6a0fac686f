/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the X710's driver and the X710 share: register addresses and admin
 * queue layouts come at build time from the unpacked kernel's own headers,
 * descriptor and queue-context bit positions are listed here.
 */
#ifndef NICSIM_I40E_LAYOUT_H
#define NICSIM_I40E_LAYOUT_H

#include "hw/types.h"

#define I40E_MASK(mask, shift)	((u32)(mask) << (shift))

#include <i40e_register.h>
#include <i40e_adminq_cmd.h>

/* Not named by the driver's register header; the driver defines it in place. */
#define I40E_GL_TX_MSS			0x000E64DC

/* Admin queue descriptor flags that only the firmware sets. */
#define I40E_AQ_FLAG_DD			0x0001
#define I40E_AQ_FLAG_CMP		0x0002

/* PFINT_DYN_CTL: bit 31 keeps INTENA as it is. */
#define I40E_DYN_CTL_INTENA_MSK		BIT(31)
#define I40E_ITR_NONE			3

/* Linked lists of queue causes end with this index. */
#define I40E_QUEUE_EOL			0x7ff

/* HMC: 2 MiB segment descriptors, 4 KiB pages, context sizes of the LAN. */
#define HMC_SD_SIZE			0x200000ULL
#define HMC_PD_SIZE			0x1000ULL
#define HMC_TXQ_SIZE			128
#define HMC_RXQ_SIZE			32
#define HMC_BASE_UNIT			512

/* TX descriptor, second quad word. */
#define TXD_DTYPE(qw)			((unsigned int)((qw) & 0xf))
#define TXD_CMD(qw)			((unsigned int)(((qw) >> 4) & 0xfff))
#define TXD_MACLEN(qw)			((unsigned int)(((qw) >> 16) & 0x7f) * 2)
#define TXD_IPLEN(qw)			((unsigned int)(((qw) >> 23) & 0x7f) * 4)
#define TXD_L4LEN(qw)			((unsigned int)(((qw) >> 30) & 0xf) * 4)
#define TXD_BSZ(qw)			((unsigned int)(((qw) >> 34) & 0x3fff))
#define TXD_L2TAG1(qw)			((unsigned int)((qw) >> 48))

#define TXD_DTYPE_DATA			0x0
#define TXD_DTYPE_CTX			0x1
#define TXD_DTYPE_FLTR			0x8

#define TXD_CMD_EOP			0x001
#define TXD_CMD_RS			0x002
#define TXD_CMD_ICRC			0x004
#define TXD_CMD_IL2TAG1			0x008
#define TXD_CMD_DUMMY			0x010
#define TXD_CMD_IIPT			0x060
#define TXD_CMD_IIPT_V6			0x020
#define TXD_CMD_IIPT_V4			0x040
#define TXD_CMD_IIPT_V4_CSUM		0x060
#define TXD_CMD_L4T			0x300
#define TXD_CMD_L4T_TCP			0x100
#define TXD_CMD_L4T_SCTP		0x200
#define TXD_CMD_L4T_UDP			0x300

/* Context descriptor, second quad word. */
#define TXC_CMD(qw)			((unsigned int)(((qw) >> 4) & 0x7f))
#define TXC_TSO_LEN(qw)			((unsigned int)(((qw) >> 30) & 0x3ffff))
#define TXC_MSS(qw)			((unsigned int)((qw) >> 50))
#define TXC_CMD_TSO			0x01
#define TXC_CMD_TSYN			0x02

/* Filter program descriptor. */
#define TXF_QINDEX(dw)			((dw) & 0x7ff)
#define TXF_PCTYPE(dw)			(((dw) >> 17) & 0x3f)
#define TXF_PCMD(dw)			(((dw) >> 4) & 0x7)
#define TXF_DEST(dw)			(((dw) >> 7) & 0x3)
#define TXF_CNT_ENA(dw)			(((dw) >> 11) & 0x1)
#define TXF_FD_STATUS(dw)		(((dw) >> 13) & 0x3)
#define TXF_CNTINDEX(dw)		(((dw) >> 20) & 0x1ff)
#define TXF_PCMD_ADD			1
#define TXF_PCMD_REMOVE			2
#define TXF_DEST_DROP			0
#define TXF_DEST_QINDEX			1

/* RX write-back, second quad word. */
#define RXD_DD				BIT_ULL(0)
#define RXD_EOF				BIT_ULL(1)
#define RXD_L2TAG1P			BIT_ULL(2)
#define RXD_L3L4P			BIT_ULL(3)
#define RXD_TSYNINDX(i)			((u64)(i) << 5)
#define RXD_TSYNVALID			BIT_ULL(7)
#define RXD_UMBCAST(v)			((u64)(v) << 9)
#define RXD_FLM				BIT_ULL(11)
#define RXD_FLTSTAT_RSS			(3ULL << 12)
#define RXD_FLTSTAT_FD_ID		(1ULL << 12)
#define RXD_IPV6EXADD			BIT_ULL(15)
#define RXD_ERR_IPE			BIT_ULL(19 + 3)
#define RXD_ERR_L4E			BIT_ULL(19 + 4)
#define RXD_PTYPE(t)			((u64)(t) << 30)
#define RXD_LEN(l)			((u64)(l) << 38)
#define RXD_SPH				BIT_ULL(63)

/* Programming status: its length field reads as the SPH bit. */
#define RXP_PROGID_FD			(1ULL << 2)
#define RXP_ERR_TBL_FULL		BIT_ULL(19)
#define RXP_ERR_NO_ENTRY		BIT_ULL(20)

/* Packet types of the parser; one table for RX (ptype, class). */
#define PTYPE_L2			1
#define PTYPE_TIMESYNC			2
#define PTYPE_LLDP			6
#define PTYPE_ARP			11
#define PTYPE_V4_BASE			22	/* + class below */
#define PTYPE_V6_BASE			88
#define PTYPE_CLS_FRAG			0
#define PTYPE_CLS_PAY3			1
#define PTYPE_CLS_UDP			2
#define PTYPE_CLS_TCP			4
#define PTYPE_CLS_SCTP			5
#define PTYPE_CLS_ICMP			6

/* Packet classifier types, as RSS and the flow director number them. */
#define PCTYPE_V4_UDP			31
#define PCTYPE_V4_TCP			33
#define PCTYPE_V4_SCTP			34
#define PCTYPE_V4_OTHER			35
#define PCTYPE_V4_FRAG			36
#define PCTYPE_V6_UDP			41
#define PCTYPE_V6_TCP			43
#define PCTYPE_V6_SCTP			44
#define PCTYPE_V6_OTHER			45
#define PCTYPE_V6_FRAG			46
#define PCTYPE_L2			63

#endif
