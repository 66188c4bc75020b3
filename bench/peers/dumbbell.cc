// The dumbbell of bench/scenarios in ns-3: client - near - far - server. `bench peers` compiles it
// against the headers and libraries of ns-3's Python wheel.
//
// The arguments are pairs, `seconds 60 rate 10000000 ...`; what came of it is printed as
// `= name number`.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-apps-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <algorithm>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <vector>

using namespace ns3;

using Wishes = std::map<std::string, std::string>;

constexpr uint16_t PORT = 9;

double Number(const Wishes& wishes, const std::string& name)
{
    return std::stod(wishes.at(name));
}

/// The sojourn of what the bottleneck's queue delivers.
class Sojourns
{
  public:
    void Watch(Ptr<QueueDisc> queue)
    {
        queue->TraceConnectWithoutContext("SojournTime", MakeCallback(&Sojourns::Leaves, this));
        queue->TraceConnectWithoutContext("DropAfterDequeue", MakeCallback(&Sojourns::Drops, this));
    }

    double QuantileInMs(double part)
    {
        if (m_ms.empty())
        {
            return 0;
        }
        auto rank = std::min<size_t>(part * m_ms.size(), m_ms.size() - 1);
        std::nth_element(m_ms.begin(), m_ms.begin() + rank, m_ms.end());
        return m_ms[rank];
    }

  private:
    void Leaves(Time sojourn)
    {
        m_ms.push_back(sojourn.GetSeconds() * 1e3);
    }

    // CoDel takes a packet out of its queue before it drops it, so that it has been counted.
    void Drops(Ptr<const QueueDiscItem>, const char*)
    {
        m_ms.pop_back();
    }

    std::vector<float> m_ms;
};

/// As Linux has it, and as the scenarios do.
void SetTcp(const Wishes& wishes)
{
    auto window = UintegerValue(Number(wishes, "window"));
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpCubic::GetTypeId()));
    Config::SetDefault("ns3::TcpL4Protocol::RecoveryType",
                       TypeIdValue(TcpPrrRecovery::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(Number(wishes, "mss")));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", window);
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", window);
    Config::SetDefault("ns3::TcpSocket::DelAckCount", UintegerValue(2));
    Config::SetDefault("ns3::TcpSocket::DelAckTimeout", TimeValue(MilliSeconds(40)));
    Config::SetDefault("ns3::TcpSocketBase::Sack", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::Timestamp", BooleanValue(true));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
    Config::SetDefault("ns3::TcpSocketBase::ClockGranularity", TimeValue(MilliSeconds(1)));
}

/// A link whose device queues hold so many packets.
NetDeviceContainer Connect(Ptr<Node> from,
                           Ptr<Node> to,
                           const std::string& rate,
                           const std::string& delay,
                           const std::string& device)
{
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue(rate + "bps"));
    link.SetChannelAttribute("Delay", StringValue(delay + "s"));
    link.SetQueue("ns3::DropTailQueue", "MaxSize", StringValue(device));
    return link.Install(from, to);
}

/// The queue that is studied, before a device that holds one packet.
Ptr<QueueDisc> InstallQueue(const Wishes& wishes, Ptr<NetDevice> device)
{
    TrafficControlHelper control;
    auto limit = StringValue(wishes.at("limit") + "p");
    const auto& queue = wishes.at("queue");
    if (queue == "pfifo")
    {
        control.SetRootQueueDisc("ns3::FifoQueueDisc", "MaxSize", limit);
    }
    else if (queue == "codel")
    {
        control.SetRootQueueDisc("ns3::CoDelQueueDisc", "MaxSize", limit);
    }
    else
    {
        control.SetRootQueueDisc("ns3::FqCoDelQueueDisc", "MaxSize", limit);
    }
    return control.Install(device).Get(0);
}

/// Addresses for both ends; the second is returned. Queues that ns-3 adds by itself are removed.
Ipv4Address AssignTo(const char* network, const NetDeviceContainer& devices, Ptr<QueueDisc> queue)
{
    Ipv4AddressHelper addresses(network, "255.255.255.0");
    auto interfaces = addresses.Assign(devices);
    for (uint32_t end = queue ? 1 : 0; end < devices.GetN(); ++end)
    {
        TrafficControlHelper().Uninstall(devices.Get(end));
    }
    return interfaces.GetAddress(1);
}

/// All traffic, from client to server; what the bulk flows deliver arrives at the sink.
Ptr<PacketSink> Send(const Wishes& wishes, Ptr<Node> client, Ptr<Node> server, Ipv4Address to)
{
    PacketSinkHelper sinks("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), PORT));
    auto sink = sinks.Install(server);
    BulkSendHelper bulk("ns3::TcpSocketFactory", InetSocketAddress(to, PORT));
    bulk.SetAttribute("SendSize", UintegerValue(Number(wishes, "mss")));
    for (int flow = 0; flow < Number(wishes, "flows"); ++flow)
    {
        bulk.Install(client);
    }
    if (wishes.count("ping"))
    {
        PingHelper ping(to);
        ping.SetAttribute("Interval", TimeValue(Seconds(Number(wishes, "ping"))));
        ping.SetAttribute("VerboseMode", StringValue("Silent"));
        ping.Install(client);
    }
    if (wishes.count("call"))
    {
        UdpClientHelper call(to, PORT);
        call.SetAttribute("MaxPackets", UintegerValue(0));
        call.SetAttribute("PacketSize", UintegerValue(Number(wishes, "call_bytes")));
        call.SetAttribute("Interval", TimeValue(Seconds(Number(wishes, "call"))));
        call.Install(client);
        UdpServerHelper(PORT).Install(server);
    }
    return DynamicCast<PacketSink>(sink.Get(0));
}

/// The most memory that this process has held.
std::string PeakKib()
{
    std::ifstream status("/proc/self/status");
    std::string word;
    while (status >> word && word != "VmHWM:")
    {
    }
    status >> word;
    return word;
}

int main(int count, char** words)
{
    Wishes wishes;
    for (int word = 1; word + 1 < count; word += 2)
    {
        wishes[words[word]] = words[word + 1];
    }
    SetTcp(wishes);

    NodeContainer nodes(4); // client, near, far, server
    InternetStackHelper().Install(nodes);
    const auto& edge = wishes.at("edge");
    const auto& short_way = wishes.at("edge_delay");
    auto access = Connect(nodes.Get(0), nodes.Get(1), edge, short_way, "100000p");
    auto there =
        Connect(nodes.Get(1), nodes.Get(2), wishes.at("rate"), wishes.at("delay"), "100000p");
    auto egress = Connect(nodes.Get(2), nodes.Get(3), edge, short_way, "100000p");
    auto bottleneck = DynamicCast<PointToPointNetDevice>(there.Get(0));
    bottleneck->GetQueue()->SetMaxSize(QueueSize("1p"));
    auto queue = InstallQueue(wishes, bottleneck);
    AssignTo("10.0.1.0", access, nullptr);
    AssignTo("10.0.2.0", there, queue);
    auto server = AssignTo("10.0.3.0", egress, nullptr);
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    auto sink = Send(wishes, nodes.Get(0), nodes.Get(3), server);
    Sojourns sojourns;
    sojourns.Watch(queue);
    Simulator::Stop(Seconds(Number(wishes, "seconds")));
    Simulator::Run();

    auto stats = queue->GetStats();
    std::cout << "= goodput_bytes " << sink->GetTotalRx() << "\n= packets " << stats.nTotalSentPackets
              << "\n= drops " << stats.nTotalDroppedPackets << "\n= sojourn_p50_ms "
              << sojourns.QuantileInMs(0.5) << "\n= sojourn_p95_ms " << sojourns.QuantileInMs(0.95)
              << "\n= events " << Simulator::GetEventCount() << "\n= peak_kib " << PeakKib() << "\n";
    Simulator::Destroy();
    return 0;
}
